/**
 * `pnpm api [--update]`: compares the types of all exports with the reports in git, one report for each
 * entry. A package whose report has changed needs a changeset.
 */
import { report } from '../../ci/lib/report.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import { build } from '../../release/build.ts'
import { mainBranch, missingChangesets } from './changes.ts'
import { extractReports } from './extract.ts'
import { apiEntries, readReports, writeReports } from './reports.ts'

await build()
const now = extractReports(apiEntries())
if (process.argv.includes('--update')) {
  writeReports(now)
  console.log(`api: wrote ${now.size} reports to api/`)
}
const before = readReports()
const problems = [...new Set([...before.keys(), ...now.keys()])]
  .filter((file) => before.get(file) !== now.get(file))
  .map((file) => `api/${file} differs from what is exported; if this is intended: pnpm api --update`)
const branch = await mainBranch(ROOT)
if (branch !== undefined) problems.push(...(await missingChangesets(ROOT, branch)))
const compared = branch === undefined ? 'no branch main to compare with' : `compared with ${branch}`
report('api', problems, `${now.size} reports as in git, ${compared}`)
