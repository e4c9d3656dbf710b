/**
 * `pnpm test:runtimes`: the signer's suite in every runtime, as a table. Reads the built package. A runtime that is not
 * there is skipped with a word on how to install it, and is an error where `CI` is set.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { isInstalled, RUNTIMES, type Runtime } from './runtimes.ts'
import type { Outcomes } from './suite.ts'

const here = dirname(fileURLToPath(import.meta.url))
const SUITES = ['vectors', 'streams', 'requests', 'properties'] as const
const row = (name: string, cells: readonly string[]): string =>
  name.padEnd(26) + cells.map((cell) => cell.padStart(12)).join('')

/** The suite for a runtime: whole, or leaving the package to the runtime's own resolution. */
async function bundleFor({ entry, conditions }: Runtime, folder: string): Promise<string> {
  const outfile = join(folder, `${conditions?.join('-') ?? 'external'}.mjs`)
  await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    outfile,
    ...(conditions
      ? { conditions: [...conditions] }
      : { external: ['@brokerwire/signer'], platform: 'node' }),
  })
  return outfile
}

function report(name: string, outcomes: Outcomes): number {
  const cells = SUITES.map((suite) => {
    const { passed, failures } = outcomes[suite]
    return failures.length === 0 ? `${passed} ok` : `${failures.length} FAILED`
  })
  console.log(row(name, cells))
  const failures = SUITES.flatMap((suite) => outcomes[suite].failures)
  for (const failure of failures.slice(0, 5)) console.log(`  ${failure}`)
  return failures.length
}

let failed = 0
let passed = 0
// Beside this file, so that Node, Deno and Bun find the package as a user's program does.
const folder = mkdtempSync(join(here, '.run-'))
try {
  console.log(row('runtime', SUITES))
  for (const runtime of RUNTIMES) {
    if (!isInstalled(runtime)) {
      console.log(`${runtime.name.padEnd(26)}  skipped: ${runtime.install}`)
      if (process.env.CI) failed += 1
      continue
    }
    try {
      const failures = report(
        runtime.name,
        await runtime.run(await bundleFor(runtime, folder), runtime.binary ?? ''),
      )
      if (failures === 0) passed += 1
      else failed += 1
    } catch (error) {
      failed += 1
      console.log(`${runtime.name.padEnd(26)}  FAILED: ${String(error).slice(0, 2000)}`)
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
