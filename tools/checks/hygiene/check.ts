/** `pnpm check:hygiene`: no machine's paths, no registry's addresses, no secrets in the repository's files. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { report } from '../../ci/lib/report.ts'
import { trackedFiles } from '../../ci/lib/tracked.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import { hygieneProblems } from './rules.ts'

const files = (await trackedFiles()).filter((file) =>
  statSync(join(ROOT, file), { throwIfNoEntry: false })?.isFile(),
)
const problems = files.flatMap((file) =>
  hygieneProblems(readFileSync(join(ROOT, file), 'utf8')).map((problem) => `${file}:${problem}`),
)
report('hygiene', problems, `${files.length} files`)
