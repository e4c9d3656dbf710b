/**
 * `pnpm check [NAME...] [--update]`: runs the named checks, or all checks of DEFAULT. It prints one line for each check
 * that passes, and the problems of each check that fails. The exit status is 1 if a check fails.
 */
import { parseArgs } from 'node:util'
import { report } from '../ci/lib/report.ts'
import type { CheckResult } from './result.ts'

interface CheckModule {
  check(update: boolean): Promise<CheckResult>
}
const CHECKS: Readonly<Record<string, () => Promise<CheckModule>>> = {
  dependencies: () => import('./dependencies/check.ts'),
  readme: () => import('./readme/check.ts'),
  hygiene: () => import('./hygiene/check.ts'),
  sizes: () => import('./sizes/check.ts'),
  workflows: () => import('./workflows/check.ts'),
  words: () => import('./words.ts'),
  docs: () => import('./docs/check.ts'),
}
/** The checks without a name on the command line. */
const DEFAULT = ['dependencies', 'readme', 'hygiene', 'sizes', 'workflows', 'words', 'docs']

const { values, positionals } = parseArgs({
  options: { update: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const known = Object.keys(CHECKS)
const unknown = positionals.find((name) => !known.includes(name))
if (unknown !== undefined) {
  console.error(`check must be one of ${known.join(', ')}; received "${unknown}"`)
  process.exit(1)
}
const selected = positionals.length > 0 ? positionals : DEFAULT
for (const [name, load] of Object.entries(CHECKS)) {
  if (!selected.includes(name)) continue
  const { check } = await load()
  const { problems, checked } = await check(values.update)
  report(name, problems, checked)
}
