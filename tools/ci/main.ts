/**
 * What `.ci/run` runs once everything is installed: the gates two at a time, then the tests by the command that the
 * README names, then a look at whether anything in the repository has changed.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../lib/run.ts'
import { ROOT, readManifest } from '../lib/workspace.ts'
import { GATES, type Gate } from './gates.ts'
import { type GateResult, runGates } from './schedule.ts'
import { type Counts, countTests } from './test-report.ts'

const { scripts = {}, packageManager } = readManifest('.')
// Tests read CI to tell a machine that must have everything from a user's.
const env = { CI: 'true', NO_COLOR: '1', TURBO_TELEMETRY_DISABLED: '1' }

async function runScript({ script }: Gate): Promise<{ passed: boolean; output: string }> {
  const line = scripts[script]
  if (line === undefined) return { passed: false, output: `package.json has no script '${script}'` }
  const { status, output } = await run(line, [], { shell: true, env })
  return { passed: status === 0, output }
}

function line(passed: boolean, name: string, durationMs: number): string {
  const seconds = `${(durationMs / 1000).toFixed(1)} s`
  return `${passed ? 'passed' : 'FAILED'}  ${seconds.padStart(8)}  ${name}`
}

function show({ gate, passed, durationMs, output }: GateResult): void {
  console.log(line(passed, gate.name, durationMs))
  if (!passed) console.log(`\n${output.trimEnd()}\n\nalone: pnpm ${gate.script}\n`)
}

async function runTests(): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-ci-'))
  const file = join(folder, 'vitest.json')
  const pnpm = packageManager?.replace(/\+.*/, '') ?? 'pnpm'
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const startedAt = performance.now()
  const { status, output } = await run('npx', ['-y', pnpm, 'test', ...reporters], { env })
  const counts = countTests(existsSync(file) ? readFileSync(file, 'utf8') : undefined, status)
  rmSync(folder, { recursive: true })
  console.log(line(counts.failed === 0, `tests: ${counts.passed} passed`, performance.now() - startedAt))
  if (counts.failed > 0) console.log(`\n${output.trimEnd()}\n`)
  for (const skipped of new Set(output.match(/skipped: .*/g))) console.log(`         ${skipped}`)
  return counts
}

async function checkClean(): Promise<boolean> {
  const { status, stdout } = await run('git', ['status', '--porcelain'])
  const clean = status === 0 && stdout === ''
  console.log(line(clean, 'nothing in the repository has changed', 0))
  if (!clean) console.log(`\n${stdout.trimEnd()}\n`)
  return clean
}

process.chdir(ROOT)
const gates = await runGates(GATES, 2, runScript, show)
const tests = await runTests()
const clean = await checkClean()
const outcomes = [...gates.map(({ passed }) => passed), clean]
const passed = tests.passed + outcomes.filter((outcome) => outcome).length
const failed = tests.failed + outcomes.filter((outcome) => !outcome).length
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
