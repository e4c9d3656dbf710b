/** All figures of `bench:relay`, on one server that it starts: file storage, one replica. `main.ts` bundles and runs it. */
import { parseArgs } from 'node:util'
import { startNats } from '@brokerwire/testing/nats'
import { connect } from '@nats-io/transport-node'
import { median, ratioByRound, writeRatios } from '../figures.ts'
import { createReaders } from './consuming.ts'
import { measureLatency } from './latency.ts'
import { createPublishers } from './publishing.ts'

/** Does so much work, and resolves when it is done. */
export type Work = (messages: number) => Promise<void>

const { values } = parseArgs({
  options: { json: { type: 'string' }, rounds: { type: 'string', default: '15' } },
})
const rounds = Number(values.rounds)
if (!(Number.isSafeInteger(rounds) && rounds > 0))
  throw new Error('--rounds: expected a whole number above 0')
const PUBLISHED = 4000
const CONSUMED = 6000

/** Each contender in every round, forward and backward in turn. @returns Microseconds a message, by contender. */
async function measure(
  contenders: Readonly<Record<string, Work>>,
  messages: number,
): Promise<Record<string, number[]>> {
  const results: Record<string, number[]> = {}
  for (let round = -1; round < rounds; round += 1) {
    const order = Object.entries(contenders)
    for (const [name, work] of round % 2 === 0 ? order : order.reverse()) {
      const start = process.hrtime.bigint()
      await work(messages)
      const us = Number(process.hrtime.bigint() - start) / messages / 1000
      // The first one warms up.
      if (round >= 0) results[name] = [...(results[name] ?? []), us]
    }
  }
  return results
}

const server = await startNats()
const connection = await connect({ port: server.port })
const publishers = await createPublishers(connection)
const published = await measure(publishers.contenders, PUBLISHED)
await publishers.close()
const readers = await createReaders(connection, CONSUMED)
const consumed = await measure(readers, CONSUMED)

const ratios = {
  'relay.publish.vs_js_publish': ratioByRound(published.js, published.ours),
  'relay.publish.vs_own_inbox': ratioByRound(published.inbox, published.ours),
  'relay.consume.vs_bare': ratioByRound(consumed.bare, consumed.ours),
}
const GOALS: Readonly<Record<keyof typeof ratios, number>> = {
  'relay.publish.vs_js_publish': 1,
  'relay.publish.vs_own_inbox': 0.5,
  'relay.consume.vs_bare': 0.7,
}
const perSecond = (us: readonly number[] | undefined): string => `${Math.round(1e6 / median(us ?? []))}/s`
for (const [name, ratio] of Object.entries(ratios)) {
  const goal = GOALS[name as keyof typeof ratios]
  console.log(`${name.padEnd(30)}${ratio.toFixed(2).padStart(6)}   goal: at least ${goal.toFixed(2)}`)
}
console.log(
  `published: relay ${perSecond(published.ours)}, js.publish ${perSecond(published.js)}, own inbox ${perSecond(published.inbox)}; consumed: relay ${perSecond(consumed.ours)}, bare ${perSecond(consumed.bare)}, bare without headers ${perSecond(consumed.bodies)}`,
)
const { direct, relayed } = await measureLatency(connection)
console.log(
  `from the service to the consumer, p50: direct ${direct.toFixed(2)} ms, through the relay ${relayed.toFixed(2)} ms`,
)
await connection.close()
await server.close()
writeRatios(values.json, ratios)
process.exit()
