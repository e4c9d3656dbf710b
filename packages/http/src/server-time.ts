/** Times in response headers, dates (RFC 9110, section 5.6.7) and `Retry-After` (section 10.2.3), and the clock they correct. */
import { isCoreError, type ServerClock } from '@brokerwire/core'
import { HttpError } from './http-error.ts'
import type { RawResponse, SendResult } from './send.ts'

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
export function parseRetryAfter(headers: RawResponse['headers'], serverNowMs: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? ''
  // Any number of digits is a wait, of at most the largest safe number of milliseconds.
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  const atMs = parseHttpDate(text, serverNowMs)
  if (Number.isNaN(atMs)) return undefined
  const sentAtMs = parseHttpDate(headers.get('date'), serverNowMs)
  return Math.max(0, atMs - (Number.isNaN(sentAtMs) ? serverNowMs : sentAtMs))
}

/**
 * Takes back an offset that {@link syncClock} has learned from a wrong date, if this response has a more plausible date. A 401 is
 * left out, because `syncClock` may learn from it.
 */
export function takeBackWrongOffset(serverClock: ServerClock | undefined, result: SendResult): void {
  if (!serverClock?.offsetMs || result.type === 'failure' || result.status === 401) return
  serverClock.takeBack(parseHttpDate(result.headers.get('date'), serverClock.now()))
}

/**
 * Learns the service's clock from the `Date` of a response that rejected the timestamp.
 *
 * @param date - The `Date` header of the response.
 * @returns Whether the offset differs from the one in the rejected timestamp. Another request may have changed it meanwhile.
 * @throws {@link HttpError} `HTTP_CLOCK_IMPLAUSIBLE`
 */
export function syncClock(
  serverClock: ServerClock,
  error: HttpError<'HTTP_UNAUTHORIZED'>,
  date: string | null | undefined,
  usedOffsetMs: number | undefined,
): boolean {
  try {
    serverClock.learn(parseHttpDate(date, serverClock.now()))
  } catch (thrown) {
    if (!isCoreError(thrown, 'CLOCK_IMPLAUSIBLE')) throw thrown
    throw new HttpError('HTTP_CLOCK_IMPLAUSIBLE', `${error.message}; ${thrown.message}`, {
      details: { ...error.details, ...thrown.details },
    })
  }
  return serverClock.offsetMs !== usedOffsetMs
}
