/**
 * `pnpm test:repeat [--runs N] [--only NAME] [--seed N]`: the tests again and again, in another order each time, every
 * other time with all cores kept busy. A flaky test shows here before it shows to a user.
 *
 * `--only` names a vitest project, such as `node`, or a part of a file's path, and may stand several times. The seed of
 * an order that fails is printed, with the line that repeats it. The last line says how many runs passed.
 */
import { parseArgs } from 'node:util'
import config from '../../../vitest.config.ts'
import { run } from '../../ci/lib/run.ts'
import { keepBusy } from './busy.ts'
import { planRuns, repeatLine, select, vitestArgs } from './plan.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    seed: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
  },
})
const runs = Number(values.runs)
const firstSeed = Number(values.seed ?? Math.floor(Math.random() * 1e9))
if (!Number.isSafeInteger(runs) || runs < 1 || !Number.isSafeInteger(firstSeed) || firstSeed < 0) {
  throw new Error('--runs and --seed: expected whole numbers')
}

const projects = (config.test?.projects ?? []).flatMap((project) =>
  typeof project === 'object' && 'test' in project ? String(project.test?.name) : [],
)
const selection = select(values.only, projects)

let passed = 0
for (const [index, next] of planRuns(runs, firstSeed).entries()) {
  const startedAt = performance.now()
  const load = next.busy ? await keepBusy() : undefined
  const { status, output } = await run('vitest', vitestArgs(selection, next), {
    env: { NO_COLOR: '1' },
  }).finally(() => load?.release())
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const how = `seed ${next.seed}, ${next.busy ? 'cores busy' : 'cores idle'}`
  console.log(`${status === 0 ? 'passed' : 'FAILED'}  ${seconds.padStart(6)} s  run ${index + 1}: ${how}`)
  if (status === 0) passed += 1
  else console.log(`\n${output.trimEnd()}\n\nagain: ${repeatLine(values.only, next)}\n`)
}
console.log(`${passed} of ${runs}`)
process.exitCode = passed === runs ? 0 : 1
