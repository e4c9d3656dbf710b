/**
 * `pnpm api [--update]`: compares the types of all that is exported, one report for each entry, with the reports in git. A
 * changed report needs a changeset of its package.
 */
import { report } from '../../ci/lib/report.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import { build } from '../../release/build.ts'
import { baseCommit, missingChangesets } from './changes.ts'
import { extractReports } from './extract.ts'
import { apiEntries, REPORTS, readReports, writeReports } from './reports.ts'

await build()
const now = extractReports(apiEntries())
if (process.argv.includes('--update')) writeReports(now)
const before = readReports()
const problems = [...new Set([...before.keys(), ...now.keys()])]
  .filter((file) => before.get(file) !== now.get(file))
  .map((file) => `${REPORTS}/${file} differs from what is exported; if this is intended: pnpm api --update`)
const base = await baseCommit(ROOT)
if (base !== undefined) problems.push(...(await missingChangesets(ROOT, base)))
const compared = base === undefined ? 'no earlier ones to compare with' : `compared with ${base.slice(0, 12)}`
report('api', problems, `${now.size} reports as in git, ${compared}`)
