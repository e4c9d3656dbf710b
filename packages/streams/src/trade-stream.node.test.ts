/** Trade and position streams against a real HTTP/2 server. */
import { systemClock } from '@brokerwire/core'
import { payloads } from '@brokerwire/payloads'
import { TradeEventType } from '@brokerwire/protos'
import { type GrpcServer, type GrpcServerCall, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSubscriptionBudget } from './budget.ts'
import type { SharedContext } from './context.ts'
import { isStreamsError, StreamsError } from './streams-error.ts'
import { readPolicy } from './supervisor/policy.ts'
import { targetOf, testContext } from './test/context.ts'
import { tradeFrame } from './test/frames.ts'
import { take, takeBeginning, takeLabels } from './test/take.ts'
import { testTokens } from './test/tokens.ts'
import { createTradeStream, type TradeStreamOptions } from './trade-stream.ts'

const HTTP2_CANCEL = 8
const SUCCESS = tradeFrame(TradeEventType.SubscribeSuccess, { requestId: 'connection-1' })
const order = (requestId: string, payload = '{"order_id":"1"}') => tradeFrame(1024, { requestId, payload })

let server: GrpcServer
beforeEach(async () => {
  server = await startGrpcServer()
})
afterEach(() => server.close())

function open(change: Partial<SharedContext> = {}, options: Partial<TradeStreamOptions> = {}) {
  const context = testContext(change)
  return createTradeStream(context, targetOf(server.url), 'trade', { accounts: ['A1'], ...options }, payloads)
}

/** Starts a stream and answers its subscription. */
async function subscribed(change?: Partial<SharedContext>, options?: Partial<TradeStreamOptions>) {
  const stream = open(change, options)
  const first = takeBeginning(stream)
  const call = await server.call()
  call.send(SUCCESS)
  const [notice] = await first
  return { stream, call, notice }
}

describe('a subscription', () => {
  test('says that it stands, then yields events in the order received', async () => {
    const { stream, call, notice } = await subscribed()
    expect(notice).toMatchObject({ kind: 'subscribed', attempt: 1, connectionId: 'connection-1' })
    call.send(order('r1'), order('r2'), tradeFrame(TradeEventType.Ping), order('r3'))
    expect(await takeLabels(stream, 3)).toEqual(['r1', 'r2', 'r3'])
    await stream.return()
  })

  test('keeps codes, kinds and payloads that nobody knows', async () => {
    const { stream, call } = await subscribed()
    call.send(
      tradeFrame(1028, { payload: '{}' }),
      tradeFrame(1032, { payload: '[]' }),
      tradeFrame(4711, { payload: 'x' }),
      tradeFrame(77),
    )
    const items = await take(stream, 4)
    expect(items.map((item) => [item.kind, 'eventType' in item ? item.eventType : undefined])).toEqual([
      ['position', 1028],
      ['option', 1032],
      ['unknown', 4711],
      ['unknown', 77],
    ])
    await stream.return()
  })

  test('opens nothing before the first next(), and nothing after it was left', async () => {
    const stream = open()
    await stream.return()
    expect(await stream.next()).toEqual({ done: true, value: undefined })
    expect(server.calls).toEqual([])
  })
})

describe('leaving', () => {
  test('the loop cancels the RPC at once and closes the connection, seen from the server', async () => {
    const { stream, call } = await subscribed()
    call.send(order('r1'))
    for await (const item of stream) {
      expect(item.kind).toBe('order')
      break
    }
    expect(await call.closed).toBe(HTTP2_CANCEL)
    const { session } = call.stream
    if (session !== undefined && !session.closed) await new Promise((resolve) => session.on('close', resolve))
  })

  test('while next() waits ends it', async () => {
    const { stream, call } = await subscribed()
    const pending = stream.next()
    await stream.return()
    expect(await pending).toEqual({ done: true, value: undefined })
    expect(await call.closed).toBe(HTTP2_CANCEL)
  })

  test('by a throw in the loop cancels too', async () => {
    const { stream, call } = await subscribed()
    call.send(order('r1'))
    const loop = async () => {
      for await (const item of stream) throw new Error(`bug at ${item.kind}`)
    }
    await expect(loop()).rejects.toThrow('bug at order')
    expect(await call.closed).toBe(HTTP2_CANCEL)
  })

  test('by the signal rejects with its reason and cancels', async () => {
    const controller = new AbortController()
    const { stream, call } = await subscribed({}, { signal: controller.signal })
    const pending = stream.next()
    controller.abort(new Error('enough'))
    await expect(pending).rejects.toThrow('enough')
    expect(await call.closed).toBe(HTTP2_CANCEL)
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  test('by a signal that was aborted before opens nothing', async () => {
    const controller = new AbortController()
    controller.abort(new Error('enough'))
    const stream = open({}, { signal: controller.signal })
    await expect(stream.next()).rejects.toThrow('enough')
    expect(server.calls).toEqual([])
  })

  test('gives the slot of the budget back', async () => {
    const budget = createSubscriptionBudget({ max: 1 })
    const { stream } = await subscribed({ budget })
    const second = open({ budget })
    await expect(second.next()).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_BUDGET_EXCEEDED'))
    expect(budget.inUse).toBe(1)
    await stream.return()
    expect(budget.inUse).toBe(0)
    expect(budget.lastReleaseMs).toBeDefined()
  })
})

describe('a lost connection', () => {
  test('comes back by itself, tells the gap with its bounds, and drops the repeats', async () => {
    const { stream, call } = await subscribed()
    call.send(order('r1'))
    const [first] = await take(stream, 1)
    const before = first?.type === 'event' ? first.receivedAtMs : 0
    const more = take(stream, 4)
    server.drop()
    const again = await server.call()
    again.send(SUCCESS, order('r1'), order('r2'))
    const items = await more
    expect(items.map((item) => item.kind)).toEqual(['reconnecting', 'subscribed', 'gap', 'order'])
    expect(items[0]).toMatchObject({ reason: 'status', delayMs: 0, attempt: 2 })
    expect(items[2]).toMatchObject({ cause: 'disconnected', eventTypes: undefined })
    if (items[2]?.kind === 'gap') {
      expect(items[2].fromMs).toBeGreaterThanOrEqual(before)
      expect(items[2].toMs).toBeGreaterThanOrEqual(items[2].fromMs ?? Number.POSITIVE_INFINITY)
    }
    expect(items[3]).toMatchObject({ requestId: 'r2' })
    await stream.return()
  })

  test('a gap began up to 4 ms before the last event was received: one frame has one instant', async () => {
    let readings = 0
    // Each reading is 4 ms after the one before, so that two readings for one frame cannot be equal.
    const clock = { now: () => 1_764_000_000_000 + 4 * readings++, setTimer: systemClock.setTimer }
    const { stream, call } = await subscribed({ clock })
    call.send(order('r1'))
    const [first] = await take(stream, 1)
    const more = take(stream, 3)
    server.drop()
    ;(await server.call()).send(SUCCESS)
    const [, subscribedAgain, gap] = await more
    if (first?.type !== 'event' || subscribedAgain?.kind !== 'subscribed' || gap?.kind !== 'gap') {
      throw new Error('other items')
    }
    expect([gap.fromMs, gap.toMs]).toEqual([first.receivedAtMs, subscribedAgain.atMs])
    await stream.return()
  })

  test('a server that is not there is told with what the network said', async () => {
    await server.close()
    const stream = open()
    const [notice] = await take(stream, 1)
    expect(notice).toMatchObject({ kind: 'reconnecting', status: 'unavailable', delayMs: 0 })
    expect(notice?.kind === 'reconnecting' && notice.message).toContain('ECONNREFUSED')
    await stream.return()
    server = await startGrpcServer()
  })

  test('signs each attempt anew', async () => {
    const { stream, call } = await subscribed()
    const more = take(stream, 2)
    call.end()
    const again = await server.call()
    again.send(SUCCESS)
    await more
    const nonces = [call, again].map((each) => each.headers['x-signature-nonce'])
    expect(new Set(nonces).size).toBe(2)
    await stream.return()
  })

  test('the same request id with other bytes is delivered and reported', async () => {
    const { stream, call } = await subscribed()
    call.send(order('r1', '{"a":1}'), order('r1', '{"a":2}'))
    expect((await take(stream, 3)).map((item) => item.kind)).toEqual(['order', 'duplicate-conflict', 'order'])
    await stream.return()
  })
})

describe('AuthError', () => {
  const authError = (call: GrpcServerCall) =>
    call.send(tradeFrame(TradeEventType.AuthError, { timestamp: 1_764_157_239_726n }))

  async function rejection(change: Partial<SharedContext>): Promise<StreamsError> {
    const stream = open(change)
    const failing = (async () => {
      for await (const _ of stream);
    })()
    failing.catch(() => {})
    for (let attempt = 0; attempt < 2; attempt += 1) authError(await server.call())
    return failing.then(
      () => Promise.reject(new Error('no error')),
      (error: StreamsError) => error,
    )
  }

  test('is tried once more after learning the clock, then ends the stream and names the causes', async () => {
    const learned: (number | undefined)[] = []
    const error = await rejection({
      onClockSkew: ({ serverNowMs }) => {
        learned.push(serverNowMs)
      },
    })
    expect(learned).toEqual([1_764_157_239_726])
    expect(isStreamsError(error, 'STREAM_AUTH_REJECTED')).toBe(true)
    expect(error.retryable).toBe(false)
    expect(error.message).toMatch(/clock.*streamAlgorithm.*accessToken/)
    expect(server.calls.length).toBe(2)
  })

  test.each([
    ['an error of the toolkit', new StreamsError('STREAM_CLOSED', 'no clock here', { details: {} }), true],
    ['any other error, which may hold a secret', new Error('app-secret'), false],
  ])('where the clock cannot be learned, %s is the cause or none', async (_name, thrown, isCause) => {
    const error = await rejection({
      onClockSkew: () => {
        throw thrown
      },
    })
    expect(isStreamsError(error, 'STREAM_AUTH_REJECTED')).toBe(true)
    expect(error.cause).toBe(isCause ? thrown : undefined)
    expect(server.calls.length).toBe(2)
  })

  test('with a token is tried once more only with another token', async () => {
    const tokens = ['token-one-0000000', 'token-two with blanks', 'token-two with blanks']
    const calls: string[] = []
    const error = await rejection({
      accessTokens: testTokens(
        () => {
          calls.push('get')
          return tokens[calls.filter((call) => call === 'get').length - 1]
        },
        async (token, { status, code }) => {
          calls.push(`rejected ${token.reveal()} ${status} ${code}`)
          return { changed: true }
        },
      ),
    })
    expect(calls).toEqual(['get', 'rejected token-one-0000000 401 undefined', 'get', 'get'])
    expect(error.details).toMatchObject({ tokenSent: true })
    expect(server.calls.map((call) => call.headers['x-access-token'])).toEqual(tokens.slice(0, 2))
    expect(JSON.stringify(error)).not.toContain('token-')
  })

  test('with a token is tried again after the backoff while the hook for another token fails for now', async () => {
    let calls = 0
    const stream = open({
      accessTokens: testTokens(() => {
        calls += 1
        if (calls === 2) throw new Error('the token service is unavailable')
        return `token-${calls}-0000000`
      }),
      policy: readPolicy({ backoffBaseMs: 1, backoffMaxMs: 1 }),
    })
    const items = take(stream, 2)
    authError(await server.call())
    const second = await server.call()
    expect(second.headers['x-access-token']).toBe('token-3-0000000')
    second.send(tradeFrame(TradeEventType.SubscribeSuccess))
    expect(await items).toMatchObject([
      { kind: 'reconnecting', reason: 'access-token' },
      { kind: 'subscribed' },
    ])
    await stream.return()
  })

  test('with a token ends with the error of the hook for another token as its cause', async () => {
    const thrown = new StreamsError('STREAM_CLOSED', 'no token', { details: {} })
    let calls = 0
    const stream = open({
      accessTokens: testTokens(() => {
        calls += 1
        if (calls === 2) throw thrown
        return 'token-one-0000000'
      }),
    })
    const failing = stream.next()
    failing.catch(() => {})
    authError(await server.call())
    await expect(failing).rejects.toMatchObject({ code: 'STREAM_AUTH_REJECTED', cause: thrown })
    expect(server.calls.length).toBe(1)
  })

  test('with the same token still there ends at once', async () => {
    const stream = open({ accessTokens: testTokens(() => 'token-one-0000000') })
    const failing = stream.next()
    failing.catch(() => {})
    authError(await server.call())
    await expect(failing).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_AUTH_REJECTED'))
    expect(server.calls.length).toBe(1)
  })
})

describe('a status', () => {
  test('that refuses the request ends the stream; what it echoes of the signature is masked', async () => {
    const stream = open()
    const failing = stream.next()
    failing.catch(() => {})
    const call = await server.call()
    const signature = String(call.headers['x-signature'])
    call.end(3, `bad signature ${signature}\u0007`)
    const error: unknown = await failing.then(
      () => undefined,
      (cause: unknown) => cause,
    )
    if (!isStreamsError(error, 'STREAM_REFUSED')) throw new Error('another error')
    expect(error.details).toEqual({
      status: 'invalid_argument',
      serverMessage: 'bad signature [secret]\\u{7}',
    })
    expect(error.cause).toBeUndefined()
  })
})

describe('hooks', () => {
  test('an access token that no header can carry is an error that does not show it', async () => {
    const stream = open({ accessTokens: testTokens(() => 'secret\nvalue') })
    const error: unknown = await stream.next().catch((cause: unknown) => cause)
    expect(isStreamsError(error, 'STREAM_OPEN_FAILED')).toBe(true)
    expect(String(error) + JSON.stringify(error)).not.toContain('secret\n')
    expect(server.calls).toEqual([])
  })

  test('reports the events that the backfill hook finds missing in a missed-events notice', async () => {
    const { stream } = await subscribed(
      {},
      { backfill: async ({ cause }) => (cause === 'subscribed' ? 2 : 0) },
    )
    expect(await take(stream, 1)).toMatchObject([{ kind: 'missed-events', missing: 2 }])
    await stream.return()
  })

  test('an observer sees what happens and cannot steer', async () => {
    const seen: string[] = []
    const observer: SharedContext['observer'] = {
      onAttempt: ({ attempt }) => void seen.push(`attempt ${attempt}`),
      onState: ({ phase }) => void seen.push(phase),
      onBatch: ({ events, duplicates }) => {
        for (const [what, count] of Object.entries({ event: events, duplicate: duplicates })) {
          for (let n = 0; n < count; n += 1) seen.push(what)
        }
        throw new Error('a bug in an observer')
      },
    }
    const { stream, call } = await subscribed({ observer })
    call.send(order('r1'), order('r1'), order('r2'))
    expect(await takeLabels(stream, 2)).toEqual(['r1', 'r2'])
    expect(seen.slice(0, 3)).toEqual(['opening', 'attempt 1', 'live'])
    expect(seen.slice(3).sort()).toEqual(['duplicate', 'event', 'event'])
    await stream.return()
  })
})

describe('a slow consumer', () => {
  test('pauses the server: what waits stays bounded, and nothing is lost', async () => {
    const count = 3000
    const { stream, call } = await subscribed({ buffer: { maxItems: 10, maxBytes: 1 << 20 } })
    const payload = JSON.stringify({ text: 'x'.repeat(2000) })
    let delivered = 0
    let writable = true
    const pump = async () => {
      for (let n = 0; n < count; n += 1) {
        call.send(order(`r${n}`, payload))
        if (call.stream.writableNeedDrain) {
          writable = false
          await new Promise((resolve) => call.stream.once('drain', resolve))
          writable = true
        }
        delivered += 1
      }
    }
    const pumping = pump()
    // Until the windows are full the server can write; then it waits, and nobody reads.
    for (let turns = 0; turns < 200 || writable; turns += 1)
      await new Promise((resolve) => setImmediate(resolve))
    expect(delivered).toBeLessThan(count / 2)
    const labels = await takeLabels(stream, count)
    await pumping
    expect(labels).toEqual(Array.from({ length: count }, (_, n) => `r${n}`))
    await stream.return()
  })

  test('can be left while it is paused', async () => {
    const { stream, call } = await subscribed({ buffer: { maxItems: 1, maxBytes: 1 << 20 } })
    call.send(...Array.from({ length: 50 }, (_, n) => order(`r${n}`)))
    await take(stream, 1)
    await stream.return()
    expect(await call.closed).toBe(HTTP2_CANCEL)
  })
})

describe('options', () => {
  test.each([
    ['accounts', { accounts: [] }],
    ['accounts', { accounts: 'A1' }],
    ['accounts[1]', { accounts: ['A1', ''] }],
    ['subscribeType', { subscribeType: 0 }],
    ['subscribeType', { subscribeType: 1.5 }],
    ['subscribeType', { subscribeType: 3 }],
    ['allowOtherSubscribeTypes', { subscribeType: 3, allowOtherSubscribeTypes: 1 }],
    ['contentType', { contentType: 1 }],
    ['backfill', { backfill: 'no' }],
  ])('a wrong %s is named', (option, options) => {
    const error: unknown = (() => {
      try {
        return open({}, options as never)
      } catch (cause) {
        return cause
      }
    })()
    if (!isStreamsError(error, 'STREAM_OPTION_INVALID')) throw new Error('another error')
    expect(error.details.option).toBe(option)
  })

  test('another subscribeType is told how it could be sent', () => {
    expect(() => open({}, { subscribeType: 3 })).toThrow(
      'subscribeType must be 1 or 2, or another number with allowOtherSubscribeTypes: true; received 3',
    )
  })

  test('another subscribeType goes out as it is', async () => {
    const { stream, call } = await subscribed({}, { subscribeType: 7, allowOtherSubscribeTypes: true })
    expect(call.body.subarray(5, 7)).toEqual(Buffer.from([8, 7]))
    await stream.return()
  })

  test('limits of attempts end the stream with a retryable error', async () => {
    const stream = open({ policy: readPolicy({ maxAttempts: 1 }) })
    const failing = stream.next()
    failing.catch(() => {})
    const call = await server.call()
    call.end(14, 'overloaded')
    const error: unknown = await failing.catch((cause: unknown) => cause)
    if (!isStreamsError(error, 'STREAM_GAVE_UP')) throw new Error('another error')
    expect([error.retryable, error.details.limit]).toEqual([true, 'attempts'])
  })
})
