/**
 * `pnpm bench:payloads [--json FILE]`: how fast trade events are decoded beside `JSON.parse` alone and beside schema
 * libraries on the same job. Ratios measured in one interleaved run, because absolute times differ from machine to
 * machine; higher is better.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleProgram } from '../../lib/bundle-program.ts'
import { ROOT } from '../../lib/workspace.ts'

/** Whether a compiled function is fast, and when memory is cleaned up, differs from process to process. */
const PROCESSES = 3

/** In processes of their own, bundled, without the loader that runs this file: their rounds together. */
async function measure(): Promise<Record<string, readonly number[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-payloads-'))
  const file = join(folder, 'measure.mjs')
  try {
    await bundleProgram(new URL('measure.ts', import.meta.url), file)
    const rounds: Record<string, number[]> = {}
    for (let turn = 0; turn < PROCESSES; turn += 1) {
      const output = execFileSync(process.execPath, [file], { encoding: 'utf8', cwd: ROOT })
      for (const [name, times] of Object.entries(JSON.parse(output) as Record<string, number[]>)) {
        rounds[name] = [...(rounds[name] ?? []), ...times]
      }
    }
    return rounds
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A round that was hardly disturbed: other programs only ever add time. */
function undisturbed(times: readonly number[] = []): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 10)] ?? Number.NaN
}

/** Decoding contains the parsing, so a run in which it takes less time was disturbed throughout. */
async function measureUntilPlausible(attempts: number): Promise<Record<string, readonly number[]>> {
  const rounds = await measure()
  if (undisturbed(rounds.ours) > undisturbed(rounds.json_parse)) return rounds
  if (attempts > 1) return measureUntilPlausible(attempts - 1)
  throw new Error('this machine is too busy to measure anything')
}

const { values } = parseArgs({ options: { json: { type: 'string' } } })
const { ours, json_parse: jsonParse, ...peers } = await measureUntilPlausible(3)

/** How many times as long `other` takes. */
const ratio = (other: readonly number[] | undefined): number =>
  Number((undisturbed(other) / undisturbed(ours)).toFixed(3))

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
