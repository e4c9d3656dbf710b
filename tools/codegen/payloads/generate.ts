/**
 * `pnpm payloads:generate`: writes what is made from the decoders' definitions, the straight-line code of the hot
 * payload and the tables of PAYLOADS.md; with `--check` compares.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { envelope } from '../../../packages/payloads/src/events/envelope.ts'
import { positionEvent } from '../../../packages/payloads/src/events/position-event.ts'
import { tradeEventDefinition } from '../../../packages/payloads/src/events/trade-event-definition.ts'
import * as payloads from '../../../packages/payloads/src/index.ts'
import { MODULE_DECODERS } from '../../../packages/payloads/src/modules/module-decoders.ts'
import { MODULES } from '../../../packages/payloads/src/modules/module-table.ts'
import { formatted } from '../../ci/lib/formatted.ts'
import { report } from '../../ci/lib/report.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import { decoderComments } from './comments.ts'
import { type DocumentedPayload, payloadSection } from './document.ts'
import { straightLineModule } from './straight-line.ts'

const INTRODUCTION = `# Payloads

Every payload that this package decodes, field by field. Generated from the definitions by \`pnpm payloads:generate\`;
do not edit. Sources: the [specification](../../docs/specification.md) and the [facts](../../docs/facts.md) beside it.

A decimal and an instant are exact text, also where the wire has a JSON number. Keys with spaces around them are read.
Fields that stand in no table are kept under their wire names in \`extra\`; a number there that a JavaScript number does
not hold is a \`NumberText\` with its digits. A whole number with digits that a JavaScript number does not hold, or with
leading zeros, is an issue, and stays in \`extra\` as it came. "Always" means that a payload without the
field is delivered as undecodable; a field that may be missing may be \`null\` as well. What the envelope lacks is
taken from the frame of its module event.

Of the SOD module neither event type nor payload is published: its events are delivered with their JSON, as are events
of any other event type or business type that is not here, numbers as in \`extra\`.`

/** The exported name of a decoder. */
function exportedName(decoder: unknown): string {
  const found = Object.entries(payloads).find(([, value]) => value === decoder)
  if (found === undefined) throw new Error('a decoder is not exported')
  return found[0]
}

const modules: DocumentedPayload[] = Object.entries(MODULE_DECODERS).flatMap(([module, decoders]) =>
  Object.entries(decoders).map(([bizType, decoder]) => {
    const [eventType] = MODULES[module as keyof typeof MODULE_DECODERS].eventTypes
    const title = `Module ${module}: ${eventType}, ${bizType}`
    return { title, decoder: exportedName(decoder), definition: decoder.definition }
  }),
)
const documented: readonly DocumentedPayload[] = [
  { title: 'Trade event', decoder: 'tradeEvent', definition: tradeEventDefinition.definition },
  { title: 'Position event', decoder: 'positionEvent', definition: positionEvent.definition },
  { title: 'Envelope of a module event', decoder: 'envelope', definition: envelope.definition },
  ...modules,
]

const CODE = 'packages/payloads/src/generated/trade-event.ts'
const TABLES = 'packages/payloads/PAYLOADS.md'
const comments = decoderComments()
const sections = documented.map((payload) => payloadSection(payload, comments.get(payload.decoder)))
const fresh: Readonly<Record<string, string>> = {
  [CODE]: formatted(CODE, straightLineModule('readTradeEvent', tradeEventDefinition.definition)),
  [TABLES]: `${[INTRODUCTION, ...sections].join('\n\n')}\n`,
}

const problems: string[] = []
for (const [file, text] of Object.entries(fresh)) {
  if (!process.argv.includes('--check')) writeFileSync(join(ROOT, file), text)
  else if (readFileSync(join(ROOT, file), 'utf8') !== text) {
    problems.push(`${file}: differs from what is generated; run: pnpm payloads:generate`)
  }
}
report('made from definitions', problems, `${Object.keys(fresh).length} files`)
