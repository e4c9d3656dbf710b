/** Corporate actions: announcements and what they pay. */
import { booleanLike } from '../combinators/boolean-like.ts'
import { decimal } from '../combinators/decimal.ts'
import { integerLike } from '../combinators/integer-like.ts'
import { list } from '../combinators/list.ts'
import { literal } from '../combinators/literal.ts'
import { optional, record } from '../combinators/record.ts'
import { text } from '../combinators/text.ts'

const security = record({
  symbol: optional(text),
  cusip: optional(text),
  isin: optional(text),
  name: optional(text),
  exchange: optional(text),
})

const payout = record({
  type: optional(text),
  payType: optional(text),
  payoutNumber: optional(integerLike),
  amount: optional(decimal),
  currency: optional(text),
  withholdingTaxRate: optional(decimal),
})

const choice = record({
  optionNumber: optional(text),
  description: optional(text),
  /** `"true"` or `"false"`. */
  defaultOptionFlag: optional(booleanLike),
  payouts: optional(list(payout)),
})

/** Decodes INSTRUMENT, CA_EVENT. Source: facts, Module payloads (keys seen). */
export const corporateAction = record({
  bizType: literal('CA_EVENT'),
  /** In two spellings. */
  eventId: optional(text, 'event_id', 'eventId'),
  /** Kind of the action, for example DIVIDEND; not the envelope's event type. */
  eventType: optional(text),
  eventVersion: optional(text),
  instrumentId: optional(text),
  category: optional(text),
  /** A date, as received. */
  recordDate: optional(text),
  /** A date, as received. */
  exDate: optional(text),
  /** A date, as received. */
  paymentDate: optional(text),
  from: optional(security),
  to: optional(list(choice)),
})
