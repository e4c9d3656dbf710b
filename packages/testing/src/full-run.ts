/**
 * The short set of tests (`pnpm test`) and the full set (`pnpm test:all`). Files named `*.full.test.ts` or
 * `*.full.node.test.ts` run in the full set only. Other tests choose their sizes with `inject('isFullRun')`.
 */
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { CHROMIUM, FIREFOX, installCommand, WEBKIT } from './browsers.ts'
import { PROGRAMS } from './installed.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether this run is the full set. It is injected, because workerd has no environment variables. */
    readonly isFullRun: boolean
  }
}

/** Whether the environment selects the full set. */
export const IS_FULL_RUN = process.env.BROKERWIRE_TESTS === 'all'

const FULL_FILE = /\.full(\.node)?\.test\.ts$/

function fullFiles(): string[] {
  return ['packages', 'examples', 'tools'].flatMap((folder) =>
    readdirSync(fileURLToPath(new URL(`../../../${folder}`, import.meta.url)), {
      recursive: true,
      withFileTypes: true,
    })
      .map(({ name }) => name)
      .filter((name) => FULL_FILE.test(name)),
  )
}

/**
 * Returns the Debian packages of the missing programs, whose tests are skipped. In CI it returns none,
 * because these tests are not skipped but fail.
 */
function missingPackages(isFullRun: boolean): string[] {
  if (process.env.CI !== undefined) return []
  const servers = Object.entries(PROGRAMS).filter(([, path]) => path === undefined)
  const browsers = (isFullRun ? [CHROMIUM, FIREFOX, WEBKIT] : [CHROMIUM]).filter(
    ({ binary }) => !existsSync(binary),
  )
  return [...servers.map(([name]) => name), ...browsers.map(({ packages }) => packages)]
}

/** Describes the tests that a run does not cover, in one line for each kind. */
export function leftOut(isFullRun: boolean): string[] {
  const missing = missingPackages(isFullRun)
  const skipped = `Tests that need a missing program were skipped: ${installCommand(missing.join(' '))}`
  const files = `Short set: ${fullFiles().length} files, the largest inputs and most runs in workerd were left out. "pnpm test:all" runs everything.`
  return [...(missing.length === 0 ? [] : [skipped]), ...(isFullRun ? [] : [files])]
}

/**
 * A global setup. It provides `isFullRun` to the tests, and prints the skipped tests at the end of the run.
 */
export function setup(project: TestProject): () => void {
  project.provide('isFullRun', IS_FULL_RUN)
  return () => {
    for (const line of leftOut(IS_FULL_RUN)) process.stderr.write(`${line}\n`)
  }
}
