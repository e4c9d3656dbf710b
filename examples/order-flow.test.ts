/** The program places, changes and cancels an order, and receives its events. */
import { startSimulator } from '@brokerwire/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { runExample } from './test/run-example.ts'
import { settingsOf } from './test/settings-of.ts'

test('an order is changed and cancelled, and its events arrive', async () => {
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const example = runExample('order-flow.ts', settingsOf(simulator))
  expect(await example.ended).toBe(0)
  expect(example.lines).toEqual([
    expect.stringMatching(/^cost: \d+\.\d+$/),
    // The service sends an event without a scene after a placement.
    'event: no scene, SUBMITTED',
    'event: MODIFY_SUCCESS, SUBMITTED',
    'event: CANCEL_SUCCESS, CANCELLED',
    'order: CANCELLED, 3 shares',
  ])
  expect(simulator.trading?.orders()).toHaveLength(1)
})
