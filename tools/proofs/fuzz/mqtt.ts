/**
 * `pnpm test:fuzz:mqtt [--runs N] [--seed N]`: a million streams of MQTT packets, most of them damaged, through the decoder and
 * mqtt-packet, which must read the same or refuse it; and each one cut at every byte, which changes nothing.
 *
 * The seed is printed: with it the same streams come again. One that fails is printed with its own seed.
 */
import { createSeededRandom } from '@brokerwire/core/testing'
import { assertMqttParity, assertSameAtEveryCut } from '../../../packages/quotes/src/test/mqtt-parity.ts'
import { anyCuts, anyStream } from '../../../packages/quotes/src/test/mqtt-streams.ts'
import { readRuns } from './runs.ts'

const { runs, seed } = readRuns()

console.log(`seed ${seed}`)
const start = performance.now()
const counts = { taken: 0, refused: 0, stricter: 0 }
for (let run = 0; run < runs; run += 1) {
  const random = createSeededRandom(seed + run)
  const bytes = anyStream(random)
  try {
    counts[assertMqttParity(bytes, anyCuts(random, bytes))] += 1
    // Two pieces at every place of one stream in twenty: that is forty readings of each.
    assertSameAtEveryCut(bytes, run % 20 === 0 ? bytes.length : 0)
  } catch (error) {
    throw new Error(`--seed ${seed + run} --runs 1: ${bytes.toString('hex')}`, { cause: error })
  }
}
const seconds = Math.round((performance.now() - start) / 1000)
console.log(
  `${runs} streams, 0 failures, ${seconds} s: ${counts.taken} read alike, ${counts.refused} refused by both,`,
)
console.log(`${counts.stricter} refused by the decoder alone, each for a reason that the standard gives`)
