/**
 * `pnpm api:report [--update]`: the types of everything that is exported, one report for each entry, against those in git. A
 * report that changes needs a changeset of its package.
 */
import { report } from '../../ci/lib/report.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import { changedReports, withoutChangeset } from './changes.ts'
import { apiEntries, REPORTS } from './entries.ts'
import { extractReports } from './extract.ts'
import { readReports, writeReports } from './reports.ts'
import { baseCommit, changesetsSince, reportsAt } from './since.ts'

const now = extractReports(apiEntries())
if (process.argv.includes('--update')) writeReports(now)
const differing = changedReports(readReports(), now).map(
  (file) =>
    `${REPORTS}/${file}: differs from what is exported; after an intended change: pnpm api:report --update`,
)

const base = await baseCommit(ROOT)
const before = base === undefined ? undefined : await reportsAt(ROOT, base)
const unannounced =
  base === undefined || before === undefined
    ? []
    : withoutChangeset(changedReports(before, now), await changesetsSince(ROOT, base))

const compared =
  before === undefined ? 'no earlier ones to compare with' : `compared with ${base?.slice(0, 12)}`
report('api:report', [...differing, ...unannounced], `${now.size} reports as in git, ${compared}`)
