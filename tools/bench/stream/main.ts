/**
 * `pnpm bench:stream [--json FILE] [--quick] [--only WORD]`: our transport beside connect-node, grpc-js and bare
 * `node:http2`, as ratios measured in one interleaved run, because absolute figures differ from machine to machine.
 * Reads the built packages.
 *
 * The server and each client are processes of their own. The ratios hold our transport against the others as they
 * come; rows named `1 MiB` show them with windows as large as ours, which both can be made to use. Supervised streams are
 * held against our transport, and against the others. `--only` takes the parts whose name contains the word:
 * `permsg.client`, `permsg.supervised`, `packed.module` and so on, `latency.supervised`, `rss.supervised`.
 */
import { parseArgs } from 'node:util'
import { writeRatios } from '../figures.ts'
import { judge } from './judge.ts'
import { measureLatency } from './latency.ts'
import { measureMemory } from './memory.ts'
import { openStage } from './processes.ts'
import { measureThroughput, THROUGHPUT_PARTS } from './throughput.ts'

const { values } = parseArgs({
  options: { json: { type: 'string' }, quick: { type: 'boolean' }, only: { type: 'string' } },
})
const quick = values.quick === true
const wanted = (name: string): boolean => name.includes(values.only ?? '')

const parts = THROUGHPUT_PARTS.filter(({ name }) => wanted(name))
const ratios: Record<string, number> = {}
const stage = await openStage()
try {
  if (parts.length > 0) {
    const options = { sittings: quick ? 1 : 2, rounds: quick ? 7 : 12, quick }
    Object.assign(ratios, await measureThroughput(stage, parts, options))
  }
  if (wanted('latency.supervised')) {
    const options = quick
      ? { sittings: 1, rounds: 3, messages: 250 }
      : { sittings: 3, rounds: 4, messages: 300 }
    Object.assign(ratios, await measureLatency(stage, options))
  }
  if (wanted('rss.supervised')) {
    const options = quick ? { turns: 1, seconds: 1.5 } : { turns: 2, seconds: 3 }
    Object.assign(ratios, await measureMemory(stage, options))
  }
} finally {
  stage.end()
}

if (Object.keys(ratios).length === 0) throw new Error(`no part has ${values.only} in its name`)
for (const [name, value] of Object.entries(ratios)) {
  console.log(`${name.padEnd(30)}${value.toFixed(2).padStart(8)}   ${judge(name, value)}`)
}
writeRatios(values.json, ratios)
