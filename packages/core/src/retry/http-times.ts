/** Times in response headers: dates (RFC 9110, section 5.6.7) and `Retry-After` (section 10.2.3). */

import type { HeadersLike } from '../structural.ts'

/** The form of C's asctime, which a recipient must accept. */
const ASCTIME = /^(\w{3}) (\w{3}) ([ \d]\d) (.{8}) (\d{4})$/
/** Today's form, and the older one with hyphens and a year of two digits, which a recipient must accept too. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, ([ \d]\d)[ -]([A-Z][a-z]{2})[ -](\d{4}|\d\d) (\d\d:\d\d:\d\d) GMT$/

/**
 * Parses a date.
 *
 * @param nowMs - Milliseconds since the epoch: a year of two digits is never more than 50 years ahead of it.
 * @returns Milliseconds since the epoch; `NaN` if it is no date.
 */
export function parseHttpDate(value: string | null | undefined, nowMs: number): number {
  const text = (value ?? '').trim().replace(ASCTIME, '$1, $3 $2 $5 $4 GMT')
  const match = HTTP_DATE.exec(text)
  if (match === null) return Number.NaN
  const [, day, month, digits, time] = match
  const latest = new Date(nowMs).getUTCFullYear() + 50
  const year = digits?.length === 2 ? latest - ((latest - Number(digits)) % 100) : digits
  // All hosts parse this form alike. A day with a leading zero or blank may be parsed as local time.
  return Date.parse(`${Number(day)} ${month} ${year} ${time} GMT`)
}

/**
 * Parses `Retry-After`. A date in it is compared with the `Date` of the same response, because the host's clock may differ from the
 * service's.
 *
 * @param serverNowMs - The service's time as far as it is known, for a response without `Date`. In milliseconds since the epoch.
 * @returns Milliseconds from now, or `undefined` if there is none or it cannot be read.
 */
export function parseRetryAfter(headers: Pick<HeadersLike, 'get'>, serverNowMs: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? ''
  // Any number of digits is a wait, of at most the largest safe number of milliseconds.
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  const atMs = parseHttpDate(text, serverNowMs)
  if (Number.isNaN(atMs)) return undefined
  const sentAtMs = parseHttpDate(headers.get('date'), serverNowMs)
  return Math.max(0, atMs - (Number.isNaN(sentAtMs) ? serverNowMs : sentAtMs))
}
