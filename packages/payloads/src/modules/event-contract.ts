/** Event contract events: settlements, with the account and position that the position stream does not have. */
import { literal } from '../combinators/literal.ts'
import { object, optional } from '../combinators/object.ts'
import { string } from '../combinators/string.ts'
import { SETTLEMENT_FIELDS } from '../events/position-event.ts'

/** Decodes POSITION, EVENT_POSITION_SETTLED. Source: facts, Module payloads. */
export const positionSettled = object({
  bizType: literal('EVENT_POSITION_SETTLED'),
  accountId: optional(string),
  positionId: optional(string),
  /** Observed with a space after its key. */
  symbol: optional(string),
  ...SETTLEMENT_FIELDS,
})
