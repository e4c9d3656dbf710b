/**
 * `pnpm runtimes [--all] [NAME...]`: runs the suites with the tarballs that a release would publish, in each
 * runtime, and prints a table. The default is Node 20, workerd, Deno and Bun. If a browser is not installed,
 * it is skipped, and the command that installs it is printed. If `CI` is set, a missing browser counts as
 * failed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startArrivalServer } from '@brokerwire/testing/arrival-server'
import { startQuotesHost } from '../../packages/quotes/src/test/runtime-host.ts'
import { installPacked, linkModule } from '../release/packed/installed.ts'
import { installEngines } from './engines.ts'
import { bundleSuites } from './project.ts'
import { missingBrowser, RUNTIMES, type Runtime } from './runtimes.ts'
import { type Outcomes, SUITES } from './suite.ts'

const row = (name: string, cells: readonly string[]): string =>
  name.padEnd(26) + cells.map((cell) => cell.padStart(12)).join('')

/** Whether a runtime has cases of a suite. */
function hasSuite({ name, entry }: Runtime, suite: keyof Outcomes): boolean {
  if (suite === 'nodeFetch') return name.startsWith('Node ')
  return suite !== 'sync' || entry === 'in-process.ts'
}

/**
 * Prints the outcomes.
 *
 * @returns The number of failures.
 */
function print(runtime: Runtime, outcomes: Outcomes): number {
  const { name, browser } = runtime
  const cells = SUITES.map((suite) => {
    const { passed, failures } = outcomes[suite]
    if (failures.length > 0) return `${failures.length} FAILED`
    return passed === 0 ? '-' : `${passed} ok`
  })
  console.log(row(name, cells))
  const failures = SUITES.flatMap((suite) => outcomes[suite].failures)
  for (const failure of failures.slice(0, 5)) console.log(`  ${failure}`)
  const admitted = outcomes.wire.admitted?.length ?? 0
  if (admitted > 0) console.log(`  ${admitted} requests arrived twice, and the error of each reports that`)
  // A browser may send a request again when a keep-alive connection closes. In other runtimes, that counts as
  // a failure.
  const repeats = browser === undefined ? admitted : 0
  // A suite in which no case passed counts as a failure, because it did not run.
  const empty = SUITES.filter((suite) => hasSuite(runtime, suite) && outcomes[suite].passed === 0)
  return failures.length + repeats + empty.length
}

const all = process.argv.includes('--all')
const names = process.argv.slice(2).filter((argument) => argument !== '--all')
const chosen = RUNTIMES.filter(({ name, isFurther }) =>
  names.length > 0 ? names.includes(name) : all || !isFurther,
)
await installEngines(
  chosen.flatMap(({ engine }) => engine ?? []),
  chosen.some(({ engine, isFurther }) => engine !== undefined && isFurther),
)
const folder = mkdtempSync(join(tmpdir(), 'brokerwire-runtimes-'))
let failed = 0
let passed = 0
const server = await startArrivalServer()
const market = await startQuotesHost()
try {
  await installPacked(folder)
  linkModule(folder, 'ws', 'packages/quotes')
  const servers = { wireUrl: server.url, quotes: market.target }
  console.log(row('runtime', SUITES))
  for (const runtime of chosen) {
    const { name, entry, conditions, run } = runtime
    const install = missingBrowser(runtime)
    if (install !== undefined) {
      console.log(`${name.padEnd(26)}  skipped: ${install}`)
      if (process.env.CI) failed += 1
      continue
    }
    try {
      const outcomes = await run(await bundleSuites(folder, entry, servers, conditions))
      if (print(runtime, outcomes) === 0) passed += 1
      else failed += 1
    } catch (error) {
      failed += 1
      console.log(`${name.padEnd(26)}  FAILED: ${String(error).slice(0, 2000)}`)
    }
  }
} finally {
  await server.close()
  await market.close()
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
