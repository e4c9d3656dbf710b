/** The provider receives an event of the local service, and ends with the application. */
import { startSimulator } from '@brokerwire/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { runExample } from '../test/run-example.ts'
import { settingsOf } from '../test/settings-of.ts'

test('a provider of NestJS receives an event, and closes the stream on SIGTERM', async () => {
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const BROKERWIRE_ACCOUNTS = simulator.accounts.join()
  const example = runExample('nestjs/main.ts', {
    ...settingsOf(simulator),
    BROKERWIRE_ACCOUNTS,
    NO_COLOR: '1',
  })
  await example.line(/stream: subscribed$/)
  simulator.placeOrder({ symbol: 'AAPL', quantity: 100 }).fill(40)
  await example.line(/AAPL: PARTIAL_FILLED$/)
  example.stop()
  await example.line(/stream: closed$/)
  // Nest sends the signal to the process again, so the process has no exit status.
  expect(await example.ended).toBe(null)
  await expect.poll(() => simulator.subscriptions()).toEqual([])
})

test('a provider of NestJS ends with status 1 if the service rejects the stream', async () => {
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const change = { BROKERWIRE_ACCOUNTS: 'one', BROKERWIRE_APP_SECRET: 'another' }
  const example = runExample('nestjs/main.ts', { ...settingsOf(simulator), ...change })
  expect(await example.ended).toBe(1)
  expect(example.lines.join()).toContain('STREAM_AUTH_REJECTED')
})
