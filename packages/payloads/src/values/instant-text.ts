/**
 * The format of instants: ISO 8601 date and time, up to nine fractional digits of a second, and `Z`, `+00:00`
 * or `+0000`. The format has fixed positions. `Date` is not used, because it would lose the nanoseconds and
 * accept February 31.
 */

declare const instantBrand: unique symbol

/**
 * An instant as an exact string, as received: `'2026-05-01T13:53:58.569-0500'`, `'2026-03-04T05:06:07.547958859Z'`. At run time it is
 * a string with a valid date.
 */
export type Instant = string & { readonly [instantBrand]: 'instant' }

/** The fields of an instant. */
export interface InstantFields {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly nanosecond: number
  readonly offsetMinutes: number
}

const MAX_FRACTION_DIGITS = 9

/** Character codes. */
const PLUS = 0x2b
const HYPHEN = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const LETTER_T = 0x54
const LETTER_Z = 0x5a

/** Whether `text` is an instant. A leap second is invalid, because clocks of computers have none. */
export function isInstant(text: string): text is Instant {
  if (text.length < 20 || text.length > 35) return false
  if (
    text.charCodeAt(4) !== HYPHEN ||
    text.charCodeAt(7) !== HYPHEN ||
    text.charCodeAt(10) !== LETTER_T ||
    text.charCodeAt(13) !== COLON ||
    text.charCodeAt(16) !== COLON
  ) {
    return false
  }
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
  // A part without digits is NaN, and a comparison with NaN is false.
  const possible =
    year >= 0 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    (day <= 28 || day <= daysInMonth(year, month)) &&
    twoDigits(text, 11) <= 23 &&
    twoDigits(text, 14) <= 59 &&
    twoDigits(text, 17) <= 59
  return possible && isOffset(text, afterFraction(text))
}

/** Parses the fields of an instant. */
export function instantFields(text: Instant): InstantFields {
  const zone = afterFraction(text)
  const sign = text.charCodeAt(zone) === HYPHEN ? -1 : 1
  const isUtc = text.charCodeAt(zone) === LETTER_Z
  const minuteAt = text.charCodeAt(zone + 3) === COLON ? zone + 4 : zone + 3
  return {
    year: Number(text.slice(0, 4)),
    month: twoDigits(text, 5),
    day: twoDigits(text, 8),
    hour: twoDigits(text, 11),
    minute: twoDigits(text, 14),
    second: twoDigits(text, 17),
    nanosecond: Number(text.slice(20, zone).padEnd(MAX_FRACTION_DIGITS, '0')),
    offsetMinutes: isUtc ? 0 : sign * (twoDigits(text, zone + 1) * 60 + twoDigits(text, minuteAt)),
  }
}

/** Parses two digits. Returns NaN if they are not digits. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO
  const ones = text.charCodeAt(at + 1) - ZERO
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

/** Returns the index of the offset, or -1 if the fraction is empty or too long. */
function afterFraction(text: string): number {
  if (text.charCodeAt(19) !== POINT) return 19
  let at = 20
  while (text.charCodeAt(at) >= ZERO && text.charCodeAt(at) <= NINE) at += 1
  return at > 20 && at <= 20 + MAX_FRACTION_DIGITS ? at : -1
}

function isOffset(text: string, at: number): boolean {
  if (at === -1) return false
  const sign = text.charCodeAt(at)
  const length = text.length - at
  if (sign === LETTER_Z) return length === 1
  if (sign !== PLUS && sign !== HYPHEN) return false
  const colon = text.charCodeAt(at + 3) === COLON
  if (length !== (colon ? 6 : 5)) return false
  return twoDigits(text, at + 1) <= 23 && twoDigits(text, at + (colon ? 4 : 3)) <= 59
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}
