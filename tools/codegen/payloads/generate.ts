/**
 * Generates files from the definitions of payload decoders: the fast path of trade events, and PAYLOADS.md.
 */
import { envelope } from '../../../packages/payloads/src/events/envelope.ts'
import { positionEvent } from '../../../packages/payloads/src/events/position-event.ts'
import { tradeEventDefinition } from '../../../packages/payloads/src/events/trade-event-definition.ts'
import { formatted } from '../../ci/lib/formatted.ts'
import type { Generated } from '../files.ts'
import { decoderComments } from './comments.ts'
import { type DocumentedPayload, payloadSection } from './document.ts'
import { fastPathModule } from './fast-path.ts'
import { MODULE_PAYLOADS } from './module-payloads.ts'

const INTRODUCTION = `# Payloads

Every payload that this package decodes, field by field. Generated from the definitions by \`pnpm generate payloads\`;
do not edit. Sources: the [specification](../../docs/specification.md) and the [facts](../../docs/facts.md).

Decimals and instants are exact text, even if the wire has a JSON number. Spaces around keys are ignored. Fields that
are in no table are kept under their wire names in \`extra\`. A number there that a JavaScript number cannot represent is
a \`NumberText\` with its digits. A whole number that a JavaScript number cannot represent, or that has leading zeros, is
an issue, and stays in \`extra\` unchanged. "Always" means that a payload without the field is delivered as undecodable.
A field that may be missing may be \`null\` too. Values that are missing from the envelope are taken from the frame of
its module event.

The event type and the payload of the SOD module are not published: its events are delivered with their JSON, and so are
events of any other event type or business type that is not listed here. Numbers are as in \`extra\`.`

const modules: DocumentedPayload[] = MODULE_PAYLOADS.map(({ module, eventType, bizType, ...payload }) => ({
  title: `Module ${module}: ${eventType}, ${bizType}`,
  ...payload,
}))
const documented: readonly DocumentedPayload[] = [
  { title: 'Trade event', decoder: 'tradeEvent', definition: tradeEventDefinition.definition },
  { title: 'Position event', decoder: 'positionEvent', definition: positionEvent.definition },
  { title: 'Envelope of a module event', decoder: 'envelope', definition: envelope.definition },
  ...modules,
]

const CODE = 'packages/payloads/src/generated/trade-event.ts'

export function generate(): Generated {
  const comments = decoderComments()
  const sections = documented.map((payload) => payloadSection(payload, comments.get(payload.decoder)))
  const files = new Map([
    [CODE, formatted(CODE, fastPathModule('readTradeEvent', tradeEventDefinition.definition))],
    ['packages/payloads/PAYLOADS.md', `${[INTRODUCTION, ...sections].join('\n\n')}\n`],
  ])
  return { files, folders: ['packages/payloads/src/generated'] }
}
