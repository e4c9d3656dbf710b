/** The program prints the accounts and the orders of a local service, and the code of an error. */
import { startSimulator } from '@brokerwire/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { freshDirectory, runExample } from './test/run-example.ts'
import { settingsOf } from './test/settings-of.ts'

test('accounts and orders are read, and a rejected app secret is an error with a code', async () => {
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const env = { ...settingsOf(simulator), BROKERWIRE_JOURNAL: await freshDirectory() }
  expect(await runExample('journal.ts', env, undefined, ['order-1']).ended).toBe(0)

  const example = runExample('list-orders.ts', env)
  expect(await example.ended).toBe(0)
  const [account] = simulator.accounts
  expect(example.lines).toContainEqual(expect.stringMatching(`^account ${account}: \\d+ positions$`))
  expect(example.lines).toContain('order-1: AAPL SUBMITTED, 0 filled')

  const rejected = runExample('list-orders.ts', { ...env, BROKERWIRE_APP_SECRET: 'another' })
  expect(await rejected.ended).toBe(1)
  expect(rejected.lines.join()).toMatch(/\bHTTP_UNAUTHORIZED\b|\bTOKEN_CALL_FAILED\b/)
})
