/** The three streams of a brokerage, with the store, the app key and the token of the composition. */
import { isCoreError } from '@brokerwire/core'
import { isStreamsError } from '@brokerwire/streams'
import { waitUntil as settled } from '@brokerwire/testing/wait'
import { expect, test } from 'vitest'
import { rejection, startSetUp, until } from './test/set-up.ts'

test('delivers orders, positions and module events that decode', async () => {
  const { simulator, open, paths } = await startSetUp()
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
  // A stream never creates a token.
  await settled(() => paths().length > 0)
  expect(paths()).toEqual(['/openapi/config'])
})

test('close() saves a token whose create was sent, even if the last cursor cannot be written', async () => {
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

test('a module stream continues after the last event of the previous process, whose cursor is stored', async () => {
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

test('an unknown address is an error that names the option', async () => {
  const { open } = await startSetUp({ environment: 'sandbox' })
  const brokerage = open({ overrides: { moduleEventsUrl: undefined } })
  const error = await rejection((async () => brokerage.moduleEvents({ modules: ['funding'] }))())
  expect(isCoreError(error, 'ENDPOINT_UNKNOWN') && error.message).toContain('moduleEventsUrl')
})

test('disposing the brokerage ends its streams and their connections', async () => {
  const { simulator, open } = await startSetUp()
  const brokerage = open()
  const stream = brokerage.tradeEvents({ accounts: simulator.accounts })
  await until(stream, 'subscribed')
  await brokerage.close()
  expect((await stream.next()).done).toBe(true)
})
