/** `pnpm diagrams`: draws the state diagrams of the tokens README from the transition tables; without `--update` compares. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { report } from '../../ci/lib/report.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import { DOCUMENT, freshDocument } from './stale.ts'

const { before, after, missing } = freshDocument()
const problems = missing.map((name) => `${DOCUMENT}: no place for the diagram: ${name}`)
if (process.argv.includes('--update')) writeFileSync(join(ROOT, DOCUMENT), after)
else if (before !== after) problems.push(`${DOCUMENT}: the diagrams are stale; run: pnpm diagrams`)
report('state diagrams', problems, 'drawn from the tables')
