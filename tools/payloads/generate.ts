/** `pnpm payloads:generate`: writes the straight-line code of the hot payloads; with `--check` compares. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tradeEventDefinition } from '../../packages/payloads/src/events/trade-event-definition.ts'
import { report } from '../lib/report.ts'
import { ROOT } from '../lib/workspace.ts'
import { formatted } from './formatted.ts'
import { straightLineModule } from './straight-line.ts'

const FILE = 'packages/payloads/src/generated/trade-event.ts'

const fresh = formatted(FILE, straightLineModule('readTradeEvent', tradeEventDefinition.definition))
const problems: string[] = []
if (!process.argv.includes('--check')) writeFileSync(join(ROOT, FILE), fresh)
else if (readFileSync(join(ROOT, FILE), 'utf8') !== fresh) {
  problems.push(`${FILE}: differs from what is generated; run: pnpm payloads:generate`)
}
report('straight-line code', problems, '1 file')
