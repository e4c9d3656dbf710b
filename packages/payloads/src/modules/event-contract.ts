/** Event contract events: a settlement, with the account and the position that the position stream does not name. */
import { literal } from '../combinators/literal.ts'
import { optional, record } from '../combinators/record.ts'
import { text } from '../combinators/text.ts'
import { SETTLEMENT_FIELDS } from '../events/position-event.ts'

/** Decodes POSITION, EVENT_POSITION_SETTLED. Source: facts, Module payloads. */
export const positionSettled = record({
  bizType: literal('EVENT_POSITION_SETTLED'),
  accountId: optional(text),
  positionId: optional(text),
  /** Seen with a space behind its key. */
  symbol: optional(text),
  ...SETTLEMENT_FIELDS,
})
