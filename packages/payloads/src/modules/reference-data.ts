/** Master data and instrument events: calendars and properties. */
import { booleanLike } from '../combinators/boolean-like.ts'
import { integerLike } from '../combinators/integer-like.ts'
import { literal } from '../combinators/literal.ts'
import { object, optional } from '../combinators/object.ts'
import { openEnum } from '../combinators/open-enum.ts'
import { string } from '../combinators/string.ts'

/** Decodes MASTER_DATA, CALENDAR_UPDATE. Source: facts, Module payloads (keys seen). */
export const calendarUpdate = object({
  bizType: literal('CALENDAR_UPDATE'),
  requestId: optional(string),
  market: optional(string),
  instrumentType: optional(string),
  /** A number in some sources, a string in others. */
  year: optional(integerLike),
})

/** Decodes INSTRUMENT, PROPERTY_CHANGE. Source: facts, Module payloads (keys seen). */
export const propertyChange = object({
  bizType: literal('PROPERTY_CHANGE'),
  instrumentId: optional(string),
  /** Meanings are not published. */
  status: optional(openEnum('OC', 'CO', 'NT')),
  /** `"true"` or `"false"`. */
  shortable: optional(booleanLike),
  /** `"true"` or `"false"`. */
  marginable: optional(booleanLike),
})
