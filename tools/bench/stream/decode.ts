/**
 * `pnpm bench:decode [--json FILE]`: how fast protobuf bytes become protobuf-es messages, by the generated decoders
 * and by the other ways to do the same job. Ratios measured in one interleaved run; higher is better for ours.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type BuildOptions, build } from 'esbuild'
import { runOrThrow } from '../../lib/run.ts'
import { ROOT } from '../../lib/workspace.ts'

/** Whether a compiled function is fast, and when memory is cleaned up, differs from process to process. */
const PROCESSES = 3

const here = (file: string): string => join(ROOT, 'tools/bench/stream/decode', file)
const common: BuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'es2022',
  conditions: ['@brokerwire/source'],
  // What is generated stands in a temporary folder, where no package is found.
  nodePaths: [join(ROOT, 'tools/node_modules')],
}
/** protobufjs is CommonJS. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

/** The static code of protobufjs: decoding only, as it would be shipped. */
async function protobufjsStatic(outfile: string): Promise<void> {
  const without = ['create', 'encode', 'verify', 'convert', 'delimited', 'comments', 'service', 'typeurl']
  const protos = ['grpc/trade/event/events.proto', 'grpc/event/event_service.proto']
  await runOrThrow('pbjs', [
    ...['-t', 'static-module', '-w', 'es6', '-o', outfile],
    ...without.map((part) => `--no-${part}`),
    ...protos.map((file) => join(ROOT, 'protos', file)),
  ])
}

/** Our generated code with its reader changed for one over protobufjs' `Reader`. */
async function generatedOverProtobufjs(outfile: string): Promise<void> {
  await build({
    ...common,
    external: ['protobufjs/minimal.js'],
    entryPoints: [join(ROOT, 'packages/streams/src/transport/decoding/generated-decoders.ts')],
    plugins: [
      {
        name: 'reader',
        setup: ({ onResolve }) => {
          onResolve({ filter: /\/range-reader\.ts$/ }, () => ({ path: here('protobufjs-range-reader.ts') }))
        },
      },
    ],
    outfile,
  })
}

/** Nanoseconds a message, of each round, by kind of message and contender. */
type Rounds = Record<string, Record<string, number[]>>

/** In processes of their own, bundled, without the loader that runs this file: their rounds together. */
async function measure(): Promise<Rounds> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-decode-'))
  try {
    const alias = {
      '#protobufjs-static': join(folder, 'static.mjs'),
      '#generated-over-protobufjs': join(folder, 'over.mjs'),
    }
    await protobufjsStatic(alias['#protobufjs-static'])
    await generatedOverProtobufjs(alias['#generated-over-protobufjs'])
    const outfile = join(folder, 'measure.mjs')
    await build({ ...common, alias, banner: { js: REQUIRE }, entryPoints: [here('measure.ts')], outfile })
    const all: Rounds = {}
    for (let turn = 0; turn < PROCESSES; turn += 1) {
      const output = execFileSync(process.execPath, [outfile], { encoding: 'utf8', cwd: ROOT })
      for (const [kind, contenders] of Object.entries(JSON.parse(output) as Rounds)) {
        for (const [name, times] of Object.entries(contenders)) {
          const rounds = all[kind] ?? {}
          all[kind] = { ...rounds, [name]: [...(rounds[name] ?? []), ...times] }
        }
      }
    }
    return all
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A round that was hardly disturbed: other programs only ever add time. */
function undisturbed(times: readonly number[] = []): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 10)] ?? Number.NaN
}

const { values } = parseArgs({ options: { json: { type: 'string' } } })
const rounds = await measure()
const ratios: Record<string, number> = {}
for (const [kind, { ours, ...others }] of Object.entries(rounds)) {
  for (const [name, times] of Object.entries(others)) {
    ratios[`${kind}.vs_${name}`] = Number((undisturbed(times) / undisturbed(ours)).toFixed(2))
  }
}
const kinds = Object.keys(rounds)
const contenders = Object.keys(rounds[kinds[0] ?? ''] ?? {}).filter((name) => name !== 'ours')
console.log(`${'ours is faster than'.padEnd(32)}${kinds.map((kind) => kind.padStart(14)).join('')}`)
for (const name of contenders) {
  const cells = kinds.map((kind) => (ratios[`${kind}.vs_${name}`] ?? Number.NaN).toFixed(2).padStart(14))
  console.log(`${name.padEnd(32)}${cells.join('')}`)
}
const oursNs = kinds.map((kind) => `${Math.round(undisturbed(rounds[kind]?.ours) * 1000)} ns`.padStart(14))
console.log(`${'ours, on this machine'.padEnd(32)}${oursNs.join('')}`)
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ ratios }, undefined, 2)}\n`)
