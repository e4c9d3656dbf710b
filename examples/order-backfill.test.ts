/** The program receives the state of an order that was placed before it started, and the event of its end. */
import { startSimulator } from '@brokerwire/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { freshDirectory, runExample } from './test/run-example.ts'
import { settingsOf } from './test/settings-of.ts'

test('the state of an earlier order and the events of later changes arrive', async () => {
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const env = { ...settingsOf(simulator), BROKERWIRE_ACCOUNTS: simulator.accounts.join() }
  const place = { ...env, BROKERWIRE_JOURNAL: await freshDirectory() }
  expect(await runExample('journal.ts', place, undefined, ['order-1']).ended).toBe(0)

  const example = runExample('order-backfill.ts', env)
  await example.line(/^state: order-1 SUBMITTED, 0 filled$/)
  simulator.trading?.setPrice('AAPL', '9.00')
  await example.line(/^event: order-1 FILLED$/)
  example.stop()
  expect(await example.ended).toBe(0)
  expect(example.lines.filter((line) => line.startsWith('state: '))).toHaveLength(1)
})
