/**
 * The steps of `.ci/run` after the installation: the gates, the tests with the command from the README, and a
 * check that nothing in the repository has changed. If you name gates, only those run, and their output is
 * printed.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GATES, namedSteps, runSteps, type Step, scriptOf, stepsOf } from './gates.ts'
import { run, runOrThrow } from './lib/run.ts'
import { ROOT, readManifest } from './lib/workspace.ts'
import { countTests } from './test-report.ts'

/**
 * Number of gates at the same time: one more than the cores of CI's machines, because some gates wait for
 * servers and timers.
 */
const AT_ONCE = 3

const { scripts = {}, packageManager } = readManifest('.')
const pnpm = packageManager?.replace(/\+.*/, '') ?? 'pnpm'
const env = { CI: 'true', NO_COLOR: '1' }

const isFull = process.argv.includes('--full')
const named = process.argv.slice(2).filter((argument) => argument !== '--full')

let passed = 0
let failed = 0

/** Runs a shell command and prints one line. If the command fails, prints its output too. */
async function execute(name: string, command: string): Promise<{ status: number; output: string }> {
  const startedAt = performance.now()
  const { status, output } = await run(command, [], { shell: true, env })
  const seconds = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
  console.log(`${status === 0 ? 'passed' : 'FAILED'}  ${seconds.padStart(8)}  ${name}`)
  if (status !== 0) console.log(`\n${output.trimEnd()}\n\nalone: ${command}\n`)
  return { status, output }
}

async function gate(command: string): Promise<void> {
  const script = scriptOf(command)
  const line = `${scripts[script] ?? 'false'}${command.slice(script.length)}`
  const { status, output } = await execute(command, line)
  if (status === 0) passed += 1
  else failed += 1
  if (status === 0 && named.length > 0) console.log(`\n${output.trimEnd()}\n`)
}

async function allTests(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-ci-'))
  const file = join(folder, 'vitest.json')
  const reporters = `--reporter=default --reporter=json --outputFile.json=${file}`
  const script = isFull ? 'test:all' : 'test'
  const { status, output } = await execute(script, `npx -y ${pnpm} ${script} ${reporters}`)
  const tests = countTests(existsSync(file) ? readFileSync(file, 'utf8') : undefined, status)
  rmSync(folder, { recursive: true })
  passed += tests.passed
  failed += tests.failed
  for (const skipped of new Set(output.match(/skipped: .*/g))) console.log(`         ${skipped}`)
}

/** Changed and new files of the work tree. */
async function workTree(): Promise<string> {
  return await runOrThrow('git', ['status', '--porcelain'])
}

/** Checks that the run has changed no file. */
async function checkWorkTree(before: string): Promise<void> {
  const after = await workTree()
  if (after === before) passed += 1
  else failed += 1
  console.log(
    `${after === before ? 'passed' : 'FAILED'}            the run changed no file of the repository`,
  )
  if (after !== before) console.log(after)
}

/**
 * Returns the steps that the command line selects. If the command line names an unknown gate, ends the
 * process.
 */
function stepsToRun(): Step[] {
  try {
    return named.length > 0 ? namedSteps(named, scripts) : stepsOf(GATES, isFull)
  } catch (error) {
    console.log(`${error instanceof Error ? error.message : error}\n0 passed, 1 failed`)
    process.exit(1)
  }
}

process.chdir(ROOT)
const steps = stepsToRun()
const before = await workTree()
await runSteps(steps, named.length > 0 ? 1 : AT_ONCE, gate)
if (named.length === 0) await allTests()
await checkWorkTree(before)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
