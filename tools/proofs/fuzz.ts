/**
 * `pnpm proof fuzz [--runs N]`: random payloads for every decoder, and streams of MQTT packets, most of them
 * damaged, for our decoder and mqtt-packet. Both MQTT decoders must read the same packets or reject the
 * stream, for every division of the stream into chunks.
 */
import { createSeededRandom } from '@brokerwire/core/testing'
import { fuzzPayloads } from '../../packages/payloads/src/test/fuzz.ts'
import { assertMqttParity, assertSameAtEveryCut } from '../../packages/quotes/src/test/mqtt-parity.ts'
import { anyCuts, anyStream } from '../../packages/quotes/src/test/mqtt-streams.ts'
import type { Case, Proof } from './harness.ts'

const BATCH = 20_000
/**
 * One in this number of streams is also divided in two before each of its bytes, and is read once for each
 * division.
 */
const EVERY_CUT = 20

const payloads = (runs: number, seed: number): Case => ({
  name: 'payloads',
  promise: 'every decoder returns a value or a typed error',
  async run() {
    for (let done = 0; done < runs; done += BATCH) fuzzPayloads(Math.min(BATCH, runs - done), seed + done)
    return { payloads: runs }
  },
})

const mqtt = (runs: number, seed: number): Case => ({
  name: 'mqtt',
  promise: 'the decoder reads what mqtt-packet reads, or is stricter for a reason in the standard',
  async run() {
    const counts = { accepted: 0, rejected: 0, stricter: 0 }
    for (let run = 0; run < runs; run += 1) {
      const random = createSeededRandom(seed + run)
      const bytes = anyStream(random)
      try {
        counts[assertMqttParity(bytes, anyCuts(random, bytes))] += 1
        assertSameAtEveryCut(bytes, run % EVERY_CUT === 0 ? bytes.length : 0)
      } catch (error) {
        throw new Error(`--seed ${seed + run} --runs 1: ${bytes.toString('hex')}: ${error}`, { cause: error })
      }
    }
    return {
      streams: runs,
      acceptedByBoth: counts.accepted,
      rejectedByBoth: counts.rejected,
      rejectedByOurs: counts.stricter,
    }
  },
})

export const proof: Proof = {
  flags: { runs: 'payloads, and streams of packets (1000000; short: 10000)' },
  cases({ flag, seed }) {
    const runs = flag('runs', 1_000_000, 10_000)
    return [payloads(runs, seed), mqtt(runs, seed)]
  },
}
