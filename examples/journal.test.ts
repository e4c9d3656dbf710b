/** The program is killed while it places an order, and started again: it reports the order and places no second one. */
import { startSimulator } from '@brokerwire/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { freshDirectory, runExample } from './test/run-example.ts'
import { settingsOf } from './test/settings-of.ts'

async function start() {
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const env = { ...settingsOf(simulator), BROKERWIRE_JOURNAL: await freshDirectory() }
  const run = () => runExample('journal.ts', env, undefined, ['order-1'])
  return { simulator, run }
}

test('an order whose process was killed before the response is reported at the next start', async () => {
  const { simulator, run } = await start()
  simulator.trading?.nextCall('orders.place', { kind: 'delay', delayMs: 60_000 })
  const killed = run()
  await killed.line(/^placing the order$/)
  await simulator.waitForRequest({ path: '/trading/orders/place' })
  killed.kill()
  await killed.ended

  const restarted = run()
  expect(await restarted.ended).toBe(0)
  expect(restarted.lines).toEqual([
    'order order-1: accepted (orders.get)',
    'placing the order',
    'order order-1: accepted (orders.get)',
  ])
  expect(simulator.trading?.orders()).toHaveLength(1)
})

test('an order that is placed and started again is placed once', async () => {
  const { simulator, run } = await start()
  for (const source of ['response', 'response']) {
    const example = run()
    expect(await example.ended).toBe(0)
    expect(example.lines).toEqual(['placing the order', `order order-1: accepted (${source})`])
  }
  expect(simulator.trading?.orders()).toHaveLength(1)
})
