/** The programs of the guides for trade events and module events, with the local service. */
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { freshDirectory, runExample } from './test/run-example.ts'
import { settingsOf } from './test/settings-of.ts'

async function start(): Promise<Simulator> {
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  return simulator
}

test('trade-events prints order events, and the gap after a lost connection', async () => {
  const simulator = await start()
  const env = { ...settingsOf(simulator), BROKERWIRE_ACCOUNTS: simulator.accounts.join() }
  const example = runExample('trade-events.ts', env)
  await example.line(/^-- subscribed$/)
  const order = simulator.placeOrder({ symbol: 'AAPL', quantity: 100 })
  order.fill(40)
  await example.line(/^AAPL: PARTIAL_FILLED$/)
  simulator.dropConnections()
  await example.line(/^-- reconnecting: /)
  const gaps = () => example.lines.filter((line) => /^-- gap from \d{4}-\S+ to \d{4}-/.test(line))
  await expect.poll(() => gaps().length).toBe(2)
  order.complete()
  await example.line(/^AAPL: FILLED$/)
  example.stop()
  expect(await example.ended).toBe(0)
})

test('module-events continues after a restart with the events that it has not handled', async () => {
  const simulator = await start()
  const env = { ...settingsOf(simulator), BROKERWIRE_STORE: await freshDirectory() }

  const first = runExample('module-events.ts', env)
  await first.line(/^-- subscribed$/)
  const handled = simulator.emitModule({ module: 'journal' })
  await first.line(new RegExp(`^${handled.id}: `))
  first.stop()
  expect(await first.ended).toBe(0)

  const missed = simulator.emitModule({ module: 'journal' })
  const second = runExample('module-events.ts', env)
  await second.line(new RegExp(`^${missed.id}: `))
  expect(second.lines.filter((line) => line.startsWith(`${handled.id}: `))).toEqual([])
  second.stop()
  expect(await second.ended).toBe(0)
})
