/** Master data and instrument events: calendars and properties. */
import { booleanLike } from '../combinators/boolean-like.ts'
import { integerLike } from '../combinators/integer-like.ts'
import { literal } from '../combinators/literal.ts'
import { openEnum } from '../combinators/open-enum.ts'
import { optional, record } from '../combinators/record.ts'
import { text } from '../combinators/text.ts'

/** Decodes MASTER_DATA, CALENDAR_UPDATE. Source: facts, Module payloads (keys seen). */
export const calendarUpdate = record({
  bizType: literal('CALENDAR_UPDATE'),
  requestId: optional(text),
  market: optional(text),
  instrumentType: optional(text),
  /** A number in one place, text in another. */
  year: optional(integerLike),
})

/** Decodes INSTRUMENT, PROPERTY_CHANGE. Source: facts, Module payloads (keys seen). */
export const propertyChange = record({
  bizType: literal('PROPERTY_CHANGE'),
  instrumentId: optional(text),
  /** Meanings are not published. */
  status: optional(openEnum('OC', 'CO', 'NT')),
  /** `"true"` or `"false"`. */
  shortable: optional(booleanLike),
  /** `"true"` or `"false"`. */
  marginable: optional(booleanLike),
})
