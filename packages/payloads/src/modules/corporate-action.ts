/** Corporate actions: announcements and payouts. */

import { array } from '../combinators/array.ts'
import { booleanLike } from '../combinators/boolean-like.ts'
import { decimal } from '../combinators/decimal.ts'
import { integerLike } from '../combinators/integer-like.ts'
import { literal } from '../combinators/literal.ts'
import { object, optional } from '../combinators/object.ts'
import { string } from '../combinators/string.ts'

const security = object({
  symbol: optional(string),
  cusip: optional(string),
  isin: optional(string),
  name: optional(string),
  exchange: optional(string),
})

const payout = object({
  type: optional(string),
  payType: optional(string),
  payoutNumber: optional(integerLike),
  amount: optional(decimal),
  currency: optional(string),
  withholdingTaxRate: optional(decimal),
})

const choice = object({
  optionNumber: optional(string),
  description: optional(string),
  /** `"true"` or `"false"`. */
  defaultOptionFlag: optional(booleanLike),
  payouts: optional(array(payout)),
})

/** Decodes INSTRUMENT, CA_EVENT. Source: facts, Module payloads (keys seen). */
export const corporateAction = object({
  bizType: literal('CA_EVENT'),
  /** Has two spellings on the wire. */
  eventId: optional(string, 'event_id', 'eventId'),
  /** Kind of the action, for example DIVIDEND. Not the envelope's event type. */
  eventType: optional(string),
  eventVersion: optional(string),
  instrumentId: optional(string),
  category: optional(string),
  /** A date, as received. */
  recordDate: optional(string),
  /** A date, as received. */
  exDate: optional(string),
  /** A date, as received. */
  paymentDate: optional(string),
  from: optional(security),
  to: optional(array(choice)),
})
