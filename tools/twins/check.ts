/** `pnpm check:twins`: rules that have one definition are written nowhere a second time. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { report } from '../lib/report.ts'
import { trackedFiles } from '../lib/tracked.ts'
import { ROOT } from '../lib/workspace.ts'
import { RULES, twinProblems } from './rules.ts'

const files = (await trackedFiles()).filter((file) => /\.m?ts$/.test(file) && existsSync(join(ROOT, file)))
const sources = files.map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))
report('twins', twinProblems(sources), `${RULES.length} rules, each in one place of ${files.length} files`)
