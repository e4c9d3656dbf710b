/** The access token of subscriptions: which one is sent, where to, and what is reported if none is. */
import { systemClock } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import type { Simulator } from '@brokerwire/simulator'
import { isStreamsError, type StreamNotice } from '@brokerwire/streams'
import { createStreamTransport } from '@brokerwire/streams/transport'
import { waitUntil } from '@brokerwire/testing/wait'
import { isTokensError } from '@brokerwire/tokens'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Brokerage } from './index.ts'
import { rejection, type SetUp, startSetUp, until, wrongClock } from './test/set-up.ts'

const CONFIG = '/openapi/config'

/** Whether each subscription so far carried a token. */
const carriedToken = (simulator: Simulator): boolean[] =>
  simulator
    .requests()
    .filter(({ protocol }) => protocol === 'grpc')
    .map(({ headerNames }) => headerNames.includes('x-access-token'))

const trade = (brokerage: Brokerage, { simulator }: SetUp) =>
  brokerage.tradeEvents({ accounts: simulator.accounts })

/** Reads in the background. @returns The notices so far. */
function noticesOf(stream: ReturnType<typeof trade>): StreamNotice[] {
  const notices: StreamNotice[] = []
  const read = async (): Promise<void> => {
    for await (const item of stream) if (item.type === 'notice') notices.push(item)
  }
  void read().catch(() => {})
  return notices
}

const has = (notices: readonly StreamNotice[], kind: StreamNotice['kind']): boolean =>
  notices.some((notice) => notice.kind === kind)

const missing = (notices: readonly StreamNotice[]): string[] =>
  notices.flatMap((notice) => (notice.kind === 'access-token-missing' ? [notice.cause] : []))

describe('by default', () => {
  test('the stored token is sent, without another request', async () => {
    const setUp = await startSetUp({ environment: 'sandbox', streamAccessToken: 'required' })
    await setUp.open().accessTokens.get()
    const brokerage = setUp.open()
    await until(trade(brokerage, setUp), 'subscribed')
    await until(brokerage.moduleEvents({ modules: ['funding'] }), 'subscribed')
    expect(carriedToken(setUp.simulator)).toEqual([true, true])
    expect(setUp.paths()).toHaveLength(1)
  })

  test('a token is never created, and a notice reports that the service requires one', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    const notices = noticesOf(trade(setUp.open(), setUp))
    await waitUntil(() => has(notices, 'access-token-missing'))
    expect(notices.map(({ kind }) => kind)).toContain('subscribed')
    expect(missing(notices)).toEqual(['required'])
    expect(carriedToken(setUp.simulator)).toEqual([false])
    expect(setUp.paths()).toEqual([CONFIG])
    expect(setUp.store.written).toEqual([])
  })

  test('there is no notice if the service requires no token', async () => {
    const setUp = await startSetUp({ environment: 'sandbox', tokenCheckEnabled: false })
    const notices = noticesOf(trade(setUp.open(), setUp))
    await waitUntil(() => has(notices, 'subscribed') && setUp.paths().length > 0 && setUp.busy === 0)
    await new Promise(setImmediate)
    expect(missing(notices)).toEqual([])
  })

  test('all streams and brokerages of a process share one request to /openapi/config', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    const [one, other] = [setUp.open(), setUp.open()]
    const streams = [trade(one, setUp), one.moduleEvents({ modules: ['funding'] }), trade(other, setUp)]
    for (const stream of streams) await until<{ readonly kind: string }>(stream, 'access-token-missing')
    expect(setUp.paths()).toEqual([CONFIG])
  })

  test('a failed request to /openapi/config is ignored and not repeated', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    setUp.simulator.faults.nextHttp(
      { kind: 'respond', status: 404, body: '' },
      { path: CONFIG, count: 'always' },
    )
    const brokerage = setUp.open()
    const notices = noticesOf(trade(brokerage, setUp))
    await waitUntil(() => has(notices, 'subscribed') && setUp.paths().length > 0 && setUp.busy === 0)
    const { accounts } = setUp.simulator
    const more = noticesOf(brokerage.tradeEvents({ accounts, consumer: 'other' }))
    await waitUntil(() => has(more, 'subscribed'))
    expect(missing(notices)).toEqual([])
    expect(missing(more)).toEqual([])
    expect(setUp.paths()).toEqual([CONFIG])
  })

  test('a token that waits for its second factor is not sent', async () => {
    const setUp = await startSetUp({ secondFactor: 'manual' })
    const brokerage = setUp.open()
    const error = await rejection(brokerage.accessTokens.get({ wait: false }))
    expect(isTokensError(error, 'TOKEN_PENDING')).toBe(true)
    await until(trade(brokerage, setUp), 'subscribed')
    expect(carriedToken(setUp.simulator)).toEqual([false])
  })

  test('a token that has expired is not sent', async () => {
    const clock = createVirtualClock()
    const setUp = await startSetUp({ environment: 'sandbox', clock, tokenValidityMs: 60_000 })
    const brokerage = setUp.open()
    await brokerage.accessTokens.get()
    await clock.advance(60_001)
    await until(trade(brokerage, setUp), 'subscribed')
    expect(carriedToken(setUp.simulator)).toEqual([false])
  })

  test('a store that never responds delays the subscription by five seconds', async () => {
    const clock = createVirtualClock()
    const setUp = await startSetUp({ environment: 'sandbox', clock })
    let reads = 0
    const hanging = {
      ...setUp.store,
      get(key: string) {
        reads += 1
        return key.includes('token') ? new Promise<undefined>(() => {}) : setUp.store.get(key)
      },
    }
    const stream = trade(setUp.open({ store: hanging }), setUp)
    let isSubscribed = false
    const subscribed = until(stream, 'subscribed').then(() => {
      isSubscribed = true
    })
    await waitUntil(() => reads > 0)
    await clock.advance(4999)
    expect(isSubscribed).toBe(false)
    expect(carriedToken(setUp.simulator)).toEqual([])
    await clock.advance(1)
    await subscribed
    expect(carriedToken(setUp.simulator)).toEqual([false])
  })

  test('a store that fails does not end a subscription', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    const failing = {
      ...setUp.store,
      get: async (key: string) => {
        if (key.includes('token')) throw new Error('down')
        return setUp.store.get(key)
      },
    }
    await until(trade(setUp.open({ store: failing }), setUp), 'subscribed')
    expect(carriedToken(setUp.simulator)).toEqual([false])
  })

  test('the token is not sent over a transport of the caller, because its address is not known', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    await setUp.open().accessTokens.get()
    const transport = createStreamTransport({ baseUrl: setUp.simulator.eventsUrl })
    onTestFinished(() => transport.close())
    const brokerage = setUp.open({ streams: { transports: { trade: transport } } })
    await until(trade(brokerage, setUp), 'subscribed')
    expect(carriedToken(setUp.simulator)).toEqual([false])
  })
})

describe('a token that the service rejects', () => {
  test('one attempt without the token follows, with a notice, and the stored token does not change', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    const brokerage = setUp.open()
    const token = await brokerage.accessTokens.get()
    const writes = setUp.store.written.length
    setUp.simulator.faults.nextSubscription('auth-error')
    const notices = noticesOf(trade(brokerage, setUp))
    await waitUntil(() => has(notices, 'subscribed'))
    expect(missing(notices)[0]).toBe('rejected')
    expect(carriedToken(setUp.simulator)).toEqual([true, false])
    expect(setUp.store.written).toHaveLength(writes)
    expect((await brokerage.accessTokens.peek())?.token.reveal()).toBe(token?.token.reveal())
  })

  test('the stream ends if that attempt is rejected too, and the stored token does not change', async () => {
    const setUp = await startSetUp({ environment: 'sandbox', streamAccessToken: 'required' })
    const brokerage = setUp.open()
    await brokerage.accessTokens.get()
    const writes = setUp.store.written.length
    setUp.simulator.endAccessTokens()
    const error = await rejection(until(trade(brokerage, setUp), 'subscribed'))
    expect(isStreamsError(error, 'STREAM_AUTH_REJECTED') && error.details.tokenSent).toBe(true)
    expect(carriedToken(setUp.simulator)).toEqual([true, false])
    expect(setUp.store.written).toHaveLength(writes)
  })

  test('a token that was stored in the meantime is sent instead', async () => {
    const setUp = await startSetUp({ environment: 'sandbox', streamAccessToken: 'required' })
    const [brokerage, other] = [setUp.open(), setUp.open()]
    await other.accessTokens.get()
    setUp.simulator.endAccessTokens()
    let reads = 0
    const stream = setUp
      .open({
        store: {
          ...setUp.store,
          async get(key) {
            if (key.includes('access-token') && ++reads === 2) await other.accessTokens.renew()
            return setUp.store.get(key)
          },
        },
      })
      .tradeEvents({ accounts: setUp.simulator.accounts })
    const notices = noticesOf(stream)
    await waitUntil(() => has(notices, 'subscribed'))
    expect(missing(notices)).toEqual([])
    expect(carriedToken(setUp.simulator)).toEqual([true, true])
    await brokerage.close()
  })

  test('the token is sent again if this host’s clock was the reason', async () => {
    const setUp = await startSetUp({ environment: 'sandbox', streamAccessToken: 'required' })
    await setUp.open().accessTokens.get()
    const brokerage = setUp.open({ clock: wrongClock(systemClock, -600_000) })
    const notices = noticesOf(trade(brokerage, setUp))
    await waitUntil(() => has(notices, 'subscribed'))
    expect(missing(notices)).toEqual([])
    expect(carriedToken(setUp.simulator)).toEqual([true, true])
  })

  test('onTokenRejected: "fail" makes no attempt without the token', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    const brokerage = setUp.open({ streams: { supervision: { onTokenRejected: 'fail' } } })
    await brokerage.accessTokens.get()
    setUp.simulator.faults.nextSubscription('auth-error')
    const error = await rejection(until(trade(brokerage, setUp), 'subscribed'))
    expect(isStreamsError(error, 'STREAM_AUTH_REJECTED')).toBe(true)
    expect(carriedToken(setUp.simulator)).toEqual([true])
  })
})

describe('the option accessTokens', () => {
  test('"never" sends no token and no other request', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    const brokerage = setUp.open({ streams: { accessTokens: 'never' } })
    await brokerage.accessTokens.get()
    const notices = noticesOf(trade(brokerage, setUp))
    await waitUntil(() => has(notices, 'subscribed'))
    expect(carriedToken(setUp.simulator)).toEqual([false])
    expect(setUp.paths()).not.toContain(CONFIG)
    expect(missing(notices)).toEqual([])
  })

  test('the token of a provider is sent and reported if it is rejected, and a rejection is final', async () => {
    const setUp = await startSetUp({ environment: 'sandbox', streamAccessToken: 'required' })
    const calls: string[] = []
    const { accessTokens } = setUp.open()
    const brokerage = setUp.open({
      streams: {
        accessTokens: {
          get() {
            calls.push('get')
            return accessTokens.get()
          },
          async reportRejected(_token, { status }) {
            calls.push(`rejected ${status}`)
            return { changed: false }
          },
        },
      },
    })
    await until(trade(brokerage, setUp), 'subscribed')
    expect(calls).toEqual(['get'])
    setUp.simulator.faults.nextSubscription('auth-error')
    const error = await rejection(
      until(brokerage.positionEvents({ accounts: setUp.simulator.accounts }), 'subscribed'),
    )
    expect(isStreamsError(error, 'STREAM_AUTH_REJECTED')).toBe(true)
    expect(calls).toEqual(['get', 'get', 'rejected 401', 'get'])
  })

  test('the access tokens of a brokerage are a token provider', async () => {
    const setUp = await startSetUp({ environment: 'sandbox', streamAccessToken: 'required' })
    const { accessTokens } = setUp.open()
    await until(trade(setUp.open({ streams: { accessTokens } }), setUp), 'subscribed')
    expect(carriedToken(setUp.simulator)).toEqual([true])
  })

  test.each([true, 'always', 'a'.repeat(32)])(
    '%s is rejected, and the error does not show it',
    async (accessTokens) => {
      const setUp = await startSetUp()
      expect(() => setUp.open({ streams: { accessTokens: accessTokens as never } })).toThrow(
        /streams\.accessTokens must be "auto", "never" or a token provider; received (?:true|a string|a boolean)/,
      )
    },
  )
})
