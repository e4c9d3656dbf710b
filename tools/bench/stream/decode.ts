/**
 * `pnpm bench:decode [--json FILE]`: how fast protobuf bytes become protobuf-es messages, by the generated decoders
 * and by the other ways to do the same job. Ratios measured in one interleaved run; higher is better for ours.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type BuildOptions, build } from 'esbuild'
import { runOrThrow } from '../../lib/run.ts'
import { ROOT } from '../../lib/workspace.ts'
import { joined, type Rounds, rounded, table, undisturbed, writeRatios } from '../figures.ts'
import { inProcesses } from '../in-processes.ts'

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
type RoundsByKind = Record<string, Rounds>

/** In processes of their own, bundled, without the loader that runs this file: their rounds together. */
async function measure(): Promise<RoundsByKind> {
  const runs = await inProcesses<RoundsByKind>(async (outfile, folder) => {
    const alias = {
      '#protobufjs-static': join(folder, 'static.mjs'),
      '#generated-over-protobufjs': join(folder, 'over.mjs'),
    }
    await protobufjsStatic(alias['#protobufjs-static'])
    await generatedOverProtobufjs(alias['#generated-over-protobufjs'])
    await build({ ...common, alias, banner: { js: REQUIRE }, entryPoints: [here('measure.ts')], outfile })
  })
  const kinds = Object.keys(runs[0] ?? {})
  return Object.fromEntries(kinds.map((kind) => [kind, joined(runs.map((run) => run[kind] ?? {}))]))
}

const { values } = parseArgs({ options: { json: { type: 'string' } } })
const rounds = await measure()
const ratios: Record<string, number> = {}
for (const [kind, { ours, ...others }] of Object.entries(rounds)) {
  for (const [name, times] of Object.entries(others)) {
    ratios[`${kind}.vs_${name}`] = rounded(undisturbed(times) / undisturbed(ours))
  }
}
const kinds = Object.keys(rounds)
const contenders = Object.keys(rounds[kinds[0] ?? ''] ?? {}).filter((name) => name !== 'ours')
const cells = (name: string): string[] =>
  kinds.map((kind) => (ratios[`${kind}.vs_${name}`] ?? Number.NaN).toFixed(2))
const oursNs = kinds.map((kind) => `${Math.round(undisturbed(rounds[kind]?.ours) * 1000)} ns`)
console.log(
  table([
    ['ours is faster than', ...kinds],
    ...contenders.map((name) => [name, ...cells(name)]),
    ['ours, on this machine', ...oursNs],
  ]),
)
writeRatios(values.json, ratios)
