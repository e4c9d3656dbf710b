/**
 * `pnpm bench:payloads [--json FILE]`: how fast trade events are decoded beside `JSON.parse` alone and beside schema
 * libraries on the same job. Ratios measured in one interleaved run, because absolute times differ from machine to
 * machine; higher is better.
 */
import { parseArgs } from 'node:util'
import { bundleProgram } from '@brokerwire/testing/bundle-program'
import { joined, type Rounds, rounded, undisturbed, writeRatios } from '../figures.ts'
import { inProcesses } from '../in-processes.ts'

/** In processes of their own, bundled, without the loader that runs this file: their rounds together. */
async function measure(): Promise<Record<string, readonly number[]>> {
  const program = new URL('measure.ts', import.meta.url)
  return joined(await inProcesses<Rounds>((file) => bundleProgram(program, file)))
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
  rounded(undisturbed(other) / undisturbed(ours))

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
writeRatios(values.json, ratios)
