/**
 * What `.ci/run` runs once everything is installed: the rows of gates, then the tests by the command that the README
 * names, then a look at whether anything in the repository has changed. With names of scripts, those instead of gates and
 * tests, and all that they say.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chosenRows, GATES } from './gates.ts'
import { run } from './lib/run.ts'
import { ROOT, readManifest } from './lib/workspace.ts'
import { countTests } from './test-report.ts'

const { scripts = {}, packageManager } = readManifest('.')
const pnpm = packageManager?.replace(/\+.*/, '') ?? 'pnpm'
// Tests read CI to tell a machine that must have everything from a user's.
const env = { CI: 'true', NO_COLOR: '1', TURBO_TELEMETRY_DISABLED: '1' }

const chosen = process.argv.slice(2)
const rows = chosen.length > 0 ? chosenRows(chosen, scripts) : GATES

let passed = 0
let failed = 0

/** Runs one command and prints its line; what it said where it failed. @returns What it said. */
async function step(name: string, command: string): Promise<{ status: number; output: string }> {
  const startedAt = performance.now()
  const { status, output } = await run(command, [], { shell: true, env })
  const seconds = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
  console.log(`${status === 0 ? 'passed' : 'FAILED'}  ${seconds.padStart(8)}  ${name}`)
  if (status !== 0) console.log(`\n${output.trimEnd()}\n\nalone: ${command}\n`)
  return { status, output }
}

async function gate(name: string, command: string): Promise<void> {
  const { status, output } = await step(name, command)
  if (status !== 0) failed += 1
  else passed += 1
  if (status === 0 && chosen.includes(name)) console.log(`\n${output.trimEnd()}\n`)
}

async function allTests(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-ci-'))
  const file = join(folder, 'vitest.json')
  const reporters = `--reporter=default --reporter=json --outputFile.json=${file}`
  const { status, output } = await step('tests', `npx -y ${pnpm} test ${reporters}`)
  const tests = countTests(existsSync(file) ? readFileSync(file, 'utf8') : undefined, status)
  rmSync(folder, { recursive: true })
  passed += tests.passed
  failed += tests.failed
  for (const skipped of new Set(output.match(/skipped: .*/g))) console.log(`         ${skipped}`)
}

process.chdir(ROOT)
for (const row of rows) await Promise.all(row.map((script) => gate(script, scripts[script] ?? 'false')))
if (chosen.length === 0) await allTests()
await gate(
  'nothing in the repository has changed',
  'git status --porcelain && test -z "$(git status --porcelain)"',
)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
