/** The three streams through the umbrella, with the store, the key and the token of the composition. */
import { isCoreError } from '@brokerwire/core'
import { isStreamsError } from '@brokerwire/streams'
import { waitUntil as settled } from '@brokerwire/testing/wait'
import { describe, expect, test } from 'vitest'
import { rejection, startSetUp } from './test/set-up.ts'

/** Reads until an item of that kind. */
async function until<Item extends { readonly kind: string }>(
  stream: AsyncIterator<Item, unknown>,
  kind: string,
): Promise<Item> {
  for (;;) {
    const result = await stream.next()
    if (result.done) throw new Error(`the stream ended before ${kind}`)
    if (result.value.kind === kind) return result.value
  }
}

test('orders, positions and modules, decoded', async () => {
  const { simulator, open } = await startSetUp()
  const brokerage = open()
  const { accounts } = simulator
  const orders = brokerage.tradeEvents({ accounts })
  const positions = brokerage.positionEvents({ accounts })
  const modules = brokerage.moduleEvents({ modules: ['application', 'funding'] })
  await Promise.all([
    until(orders, 'subscribed'),
    until(positions, 'subscribed'),
    until(modules, 'subscribed'),
  ])

  simulator.placeOrder({ symbol: 'AAPL', quantity: 100 }).fill(40)
  simulator.emitPosition()
  simulator.emitModule({ module: 'funding' })

  const order = await until(orders, 'order')
  if (order.kind !== 'order') throw new Error('not an order')
  const decoded = order.decode()
  expect(decoded.ok && decoded.value.symbol).toBe('AAPL')
  const position = await until(positions, 'position')
  expect(position.kind === 'position' && position.decode().ok).toBe(true)
  const event = await until(modules, 'module')
  if (event.kind !== 'module') throw new Error('not a module event')
  const funding = event.decode()
  expect(funding.ok && funding.value.module).toBe('funding')
  // A stream is no reason to ask for a token.
  expect(simulator.requests().filter(({ protocol }) => protocol === 'http')).toEqual([])
})

test('closing left a token unsaved that was sent for, where the last cursor could not be written', async () => {
  const setUp = await startSetUp()
  let save = (): void => {}
  const saving = new Promise<void>((resolve) => {
    save = resolve
  })
  let isFailing = false
  let failed = 0
  const brokerage = setUp.open({
    store: {
      ...setUp.store,
      async compareAndSet(key, expected, next) {
        if (isFailing && key.startsWith('cursor/')) {
          failed += 1
          throw new Error('down')
        }
        if (isFailing && next?.includes('PENDING')) await saving
        return await setUp.store.compareAndSet(key, expected, next)
      },
    },
  })
  const modules = brokerage.moduleEvents({ modules: ['funding'], ack: 'manual' })
  await until(modules, 'subscribed')
  isFailing = true
  const waiting = rejection(brokerage.accessTokens.get())
  setUp.simulator.emitModule({ module: 'funding' })
  const event = await until(modules, 'module')
  await settled(() => setUp.paths().length > 0 && setUp.busy === 0)
  if (event.kind === 'module') event.ack()
  let isClosed = false
  const closing = rejection(brokerage.close()).finally(() => {
    isClosed = true
  })
  await settled(() => failed > 1)
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
  expect(isClosed).toBe(false)
  save()
  expect(isStreamsError(await closing, 'STREAM_STORE_FAILED')).toBe(true)
  await waiting
  expect(setUp.store.written.some(({ text }) => text?.includes('PENDING'))).toBe(true)
})

test('a module stream goes on where the process before it stopped: its cursor is in the store', async () => {
  const setUp = await startSetUp()
  const { simulator, open } = setUp
  const first = open().moduleEvents({ modules: ['funding'], ack: 'manual' })
  await until(first, 'subscribed')
  simulator.emitModule({ module: 'funding' })
  const handled = await until(first, 'module')
  if (handled.kind === 'module') handled.ack()
  await first.return()
  const missed = simulator.emitModule({ module: 'funding' })
  const second = open().moduleEvents({ modules: ['funding'] })
  const seen = await until(second, 'module')
  expect(seen).toMatchObject({ id: missed.id })
  const keys = new Set(setUp.store.written.map(({ key }) => key))
  expect([...keys].join()).toContain(simulator.credentials.appKey)
  expect([...keys].join()).toMatch(/production.*us/)
})

test('an address that no source names is an error that says which option sets it', async () => {
  const { open } = await startSetUp({ environment: 'sandbox' })
  const brokerage = open({ overrides: { moduleEventsUrl: undefined } })
  const error = await rejection((async () => brokerage.moduleEvents({ modules: ['funding'] }))())
  expect(isCoreError(error, 'ENDPOINT_UNKNOWN') && error.message).toContain('moduleEventsUrl')
})

test('disposed: its streams end, and the service sees them go', async () => {
  const { simulator, open } = await startSetUp()
  const brokerage = open()
  const stream = brokerage.tradeEvents({ accounts: simulator.accounts })
  await until(stream, 'subscribed')
  await brokerage.close()
  expect((await stream.next()).done).toBe(true)
})

describe('a service whose streams want the access token', () => {
  test('by default none is sent', async () => {
    const { simulator, open } = await startSetUp({ environment: 'sandbox', streamAccessToken: 'required' })
    const brokerage = open()
    await brokerage.accessTokens.get()
    const stream = brokerage.tradeEvents({ accounts: simulator.accounts })
    const error = await rejection(until(stream, 'subscribed'))
    expect(isStreamsError(error)).toBe(true)
    const subscriptions = simulator.requests().filter(({ protocol }) => protocol === 'grpc')
    for (const { headerNames } of subscriptions) expect(headerNames).not.toContain('x-access-token')
  })

  test('sendAccessToken: the stored one is sent', async () => {
    const { simulator, open } = await startSetUp({ environment: 'sandbox', streamAccessToken: 'required' })
    await open().accessTokens.get()
    const brokerage = open({ streams: { sendAccessToken: true } })
    await until(brokerage.tradeEvents({ accounts: simulator.accounts }), 'subscribed')
    await until(brokerage.moduleEvents({ modules: ['funding'] }), 'subscribed')
    expect(simulator.requests().filter(({ protocol }) => protocol === 'http')).toHaveLength(1)
  })

  test('and none is created where there is none', async () => {
    const setUp = await startSetUp({ environment: 'sandbox', streamAccessToken: 'required' })
    const brokerage = setUp.open({ streams: { sendAccessToken: true } })
    const stream = brokerage.tradeEvents({ accounts: setUp.simulator.accounts })
    expect(isStreamsError(await rejection(until(stream, 'subscribed')))).toBe(true)
    expect(setUp.paths()).toEqual([])
    expect(setUp.store.written).toEqual([])
  })

  test('a hook of the caller goes first', async () => {
    const { simulator, open } = await startSetUp({ environment: 'sandbox', streamAccessToken: 'required' })
    const asked: boolean[] = []
    const { accessTokens } = open()
    const brokerage = open({
      streams: {
        sendAccessToken: true,
        async accessToken({ rejected }) {
          asked.push(rejected)
          return (await accessTokens.get())?.token
        },
      },
    })
    await until(brokerage.tradeEvents({ accounts: simulator.accounts }), 'subscribed')
    expect(asked).toEqual([false])
  })
})
