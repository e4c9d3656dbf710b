/** The short test of the guide to the simulator, and the end of a stream that a test does not close. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { createBrokerage } from '@brokerwire/client'
import { simulatorTest, test } from '@brokerwire/simulator/vitest'
import { test as base, expect } from 'vitest'

const GUIDE = new URL('../docs/guides/simulator.md', import.meta.url)

base('the test below is the one in the guide', async () => {
  const own = await readFile(fileURLToPath(import.meta.url), 'utf8')
  const [, shown] = /```ts\n(?:import .*\n)+\n(test\([^`]*)```/.exec(await readFile(GUIDE, 'utf8')) ?? []
  expect(shown).toContain('createBrokerage')
  expect(own).toContain(shown)
})

test('a filled order arrives on the stream', async ({ simulator }) => {
  await using brokerage = createBrokerage(simulator.brokerageOptions())
  const fills = brokerage.tradeEvents({ accounts: simulator.accounts })
  simulator.waitForSubscriptions().then(() => simulator.emitOrder({ scene: 'FINAL_FILLED' }))
  for await (const item of fills) if (item.type === 'event') break
  expect(simulator.subscriptions()).toHaveLength(1)
})

simulatorTest({ openStreams: 'allow' })(
  'a stream that a test does not close can be allowed',
  async ({ simulator }) => {
    const brokerage = createBrokerage(simulator.brokerageOptions())
    brokerage
      .tradeEvents({ accounts: simulator.accounts })
      [Symbol.asyncIterator]()
      .next()
      .catch(() => undefined)
    await simulator.waitForSubscriptions()
  },
)
