/** Times in response headers: dates (RFC 9110, section 5.6.7) and `Retry-After` (section 10.2.3). */

import type { HeadersLike } from '../structural.ts'

/** The form of C's asctime, which a recipient must accept. */
const ASCTIME = /^(\w{3}) (\w{3}) ([ \d]\d) (.{8}) (\d{4})$/
/**
 * The current form of a date, and the older form with hyphens and a year of two digits, which a recipient
 * must accept too.
 */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, ([ \d]\d)[ -]([A-Z][a-z]{2})[ -](\d{4}|\d\d) (\d\d:\d\d:\d\d) GMT$/

/**
 * Parses a date.
 *
 * @param nowMs - Milliseconds since the epoch. A year of two digits means the year that is at most 50 years
 * after this instant.
 * @returns Milliseconds since the epoch. `NaN` if the value is not a date.
 */
export function parseHttpDate(value: string | null | undefined, nowMs: number): number {
  const text = (value ?? '').trim().replace(ASCTIME, '$1, $3 $2 $5 $4 GMT')
  const match = HTTP_DATE.exec(text)
  if (match === null) return Number.NaN
  const [, day, month, digits, time] = match
  const latest = new Date(nowMs).getUTCFullYear() + 50
  const year = digits?.length === 2 ? latest - ((latest - Number(digits)) % 100) : digits
  // All hosts parse this form in the same way. A day with a leading zero or space is avoided, because some
  // hosts then parse the date as local time.
  return Date.parse(`${Number(day)} ${month} ${year} ${time} GMT`)
}

/**
 * Parses `Retry-After`. A date in it is compared with the `Date` of the same response, because the host's
 * clock may differ from the service's.
 *
 * @param serverNowMs - The estimated time of the service, for a response without `Date`, in milliseconds
 * since the epoch.
 * @returns The wait in milliseconds from now; `undefined` if there is no header or it cannot be parsed.
 */
export function parseRetryAfter(headers: Pick<HeadersLike, 'get'>, serverNowMs: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? ''
  // Any number of digits is accepted, up to the largest safe number of milliseconds.
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  const atMs = parseHttpDate(text, serverNowMs)
  if (Number.isNaN(atMs)) return undefined
  const sentAtMs = parseHttpDate(headers.get('date'), serverNowMs)
  return Math.max(0, atMs - (Number.isNaN(sentAtMs) ? serverNowMs : sentAtMs))
}
