/**
 * `pnpm bench:payloads [--json FILE]`: how fast trade events are decoded beside `JSON.parse` alone and beside schema
 * libraries on the same job. Ratios measured in one interleaved run, because absolute times differ from machine to
 * machine; higher is better.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { ROOT } from '../../lib/workspace.ts'
import { median } from '../sign/rounds.ts'

/** In a process of its own, bundled, without the loader that runs this file. */
async function measure(): Promise<Record<string, readonly number[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-payloads-'))
  const file = join(folder, 'measure.mjs')
  try {
    await build({
      entryPoints: [join(dirname(fileURLToPath(import.meta.url)), 'measure.ts')],
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'es2022',
      conditions: ['@brokerwire/source'],
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
      outfile: file,
    })
    return JSON.parse(execFileSync(process.execPath, [file], { encoding: 'utf8', cwd: ROOT })) as Record<
      string,
      readonly number[]
    >
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const { values } = parseArgs({ options: { json: { type: 'string' } } })
const { ours = [], json_parse: jsonParse = [], ...peers } = await measure()

/** How many times as long `other` takes: the median over the rounds, each compared with itself. */
const ratio = (other: readonly number[]): number =>
  Number(median(other.map((time, index) => time / (ours[index] ?? Number.NaN))).toFixed(3))

const NEED_EVAL = ['zod', 'arktype', 'typebox', 'ajv']
const byPeer = Object.entries(peers).map(([name, times]) => [name, ratio(times)] as const)
const best = (needsEval: boolean): number =>
  Math.min(...byPeer.filter(([name]) => needsEval || !NEED_EVAL.includes(name)).map(([, value]) => value))

const ratios: Record<string, number> = {
  'trade.vs_json_parse': ratio(jsonParse),
  'trade.vs_best_without_eval': best(false),
  'trade.vs_best_with_eval': best(true),
  ...Object.fromEntries(byPeer.map(([name, value]) => [`trade.vs_${name}`, value])),
}
const GOALS: Readonly<Record<string, string>> = {
  'trade.vs_json_parse': 'goal: at least 0.60',
  'trade.vs_best_without_eval': 'goal: at least 1.3',
}
for (const [name, value] of Object.entries(ratios)) {
  console.log(`${name.padEnd(30)}${value.toFixed(2).padStart(8)}   ${GOALS[name] ?? ''}`.trimEnd())
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ ratios }, undefined, 2)}\n`)
