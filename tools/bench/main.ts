/**
 * `pnpm bench [NAME] [--json FILE] [--quick] [--only PART]`: runs a benchmark and prints ratios with their
 * goals. All ratios come from one interleaved run, because absolute times differ between machines.
 *
 * - Without a name it lists the benchmarks.
 * - `--json` writes the ratios to a file.
 * - `--quick` runs fewer and shorter rounds.
 * - `--only` selects the parts whose names contain a word.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { build } from '../release/build.ts'
import { type Benchmark, type Goal, median, type Results, type Table } from './benchmark.ts'

const BENCHMARKS: Readonly<Record<string, readonly [about: string, load: () => Promise<Benchmark>]>> = {
  sign: ['signer in Node and workerd compared with other signers', () => import('./sign/benchmark.ts')],
  http: ['CPU time of a signed request compared with a bare fetch', () => import('./http/benchmark.ts')],
  stream: [
    'streams compared with connect-node, grpc-js and node:http2',
    () => import('./stream/benchmark.ts'),
  ],
  scale: ['many quiet streams in one process compared with grpc-js', () => import('./scale/benchmark.ts')],
  payloads: [
    'trade events compared with JSON.parse and schema libraries',
    () => import('./payloads/benchmark.ts'),
  ],
  quotes: ['CPU time of market data compared with MQTT.js', () => import('./quotes/benchmark.ts')],
  relay: [
    'writing to JetStream, Postgres and Redis, reading from JetStream, and the latency of a relay, compared with the bare clients',
    () => import('./relay/benchmark.ts'),
  ],
  stores: ['compareAndSet compared with the bare clients', () => import('./stores/benchmark.ts')],
  import: [
    'import of built packages compared with their dependencies',
    () => import('./import/benchmark.ts'),
  ],
  simulator: ['start, delivery to 2,000 streams, memory', () => import('./simulator/benchmark.ts')],
}

/** Prints a table. The first column is aligned left, the others right. */
function print(rows: Table): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) {
    const [first = '', ...others] = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    )
    console.log([first, ...others].join('  ').trimEnd())
  }
  console.log()
}

function verdict(value: number, { atLeast, atMost }: Goal = {}): string {
  if (atLeast !== undefined) return `goal: at least ${atLeast}, ${value >= atLeast ? 'reached' : 'missed'}`
  if (atMost !== undefined) return `goal: at most ${atMost}, ${value <= atMost ? 'reached' : 'missed'}`
  return ''
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'string' }, quick: { type: 'boolean', default: false }, only: { type: 'string' } },
})
const [name = ''] = positionals
const entry = BENCHMARKS[name]
if (entry === undefined) {
  if (name !== '') console.error(`no benchmark is called "${name}"; these exist:\n`)
  for (const [known, [about]] of Object.entries(BENCHMARKS)) console.log(`${known.padEnd(12)}${about}`)
  process.exit(name === '' ? 0 : 1)
}
if (name === 'import') await build()

const { run, goals, parts = [], runs = 1 } = await entry[1]()
const includes = (part: string): boolean => part.includes(values.only ?? '')
if (values.only !== undefined && !parts.some(includes)) {
  console.error(
    `--only must be part of one of these names: ${parts.join(', ') || '(this benchmark has no parts)'}`,
  )
  process.exit(1)
}
const byRun: Results['ratios'][] = []
for (let count = 0; count < (values.quick ? 1 : runs); count += 1) {
  const { tables, ratios } = await run({ quick: values.quick, includes })
  for (const table of tables) print(table)
  byRun.push(ratios)
}
const keys = Object.keys(byRun[0] ?? {})
const ratios = Object.fromEntries(
  keys.map((key) => [key, median(byRun.map((each) => each[key] ?? Number.NaN))]),
)
print(Object.entries(ratios).map(([key, value]) => [key, value.toFixed(2), verdict(value, goals[key])]))
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ ratios }, undefined, 2)}\n`)
