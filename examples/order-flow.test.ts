/** The program places, changes and cancels an order, and receives its events. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startSimulator } from '@brokerwire/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { EXAMPLES } from './test/bundle-programs.ts'
import { runExample } from './test/run-example.ts'
import { settingsOf } from './test/settings-of.ts'

test('an order is changed and cancelled, and its events arrive', async () => {
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const example = runExample('order-flow.ts', settingsOf(simulator))
  expect(await example.ended).toBe(0)
  // The guide shows these lines. The service sends an event without a scene after a placement.
  const guide = await readFile(join(EXAMPLES, '../docs/guides/place-orders.md'), 'utf8')
  const [, shown = ''] = /^```text\n([\s\S]*?)\n```$/m.exec(guide) ?? []
  expect(example.lines).toEqual(shown.split('\n'))
  expect(simulator.trading?.orders()).toHaveLength(1)
})
