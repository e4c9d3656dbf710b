/** Times in headers: dates (RFC 9110, section 5.6.7) and `Retry-After` (section 10.2.3). */

/** The form of C, which a recipient has to accept, and what makes of it the one that is sent today. */
const ASCTIME = /^(\w{3}) (\w{3}) ([ \d]\d) (.{8}) (\d{4})$/
/** That one, and the older one with hyphens and a year of two digits, which a recipient has to accept as well. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, ([ \d]\d)[ -]([A-Z][a-z]{2})[ -](\d{4}|\d\d) (\d\d:\d\d:\d\d) GMT$/

/**
 * @param nowMs - Milliseconds since the epoch: a year of two digits is never more than 50 years from here.
 * @returns Milliseconds since the epoch; `NaN` where it is no date.
 */
export function readHttpDate(value: string | null | undefined, nowMs: number): number {
  const text = (value ?? '').trim().replace(ASCTIME, '$1, $3 $2 $5 $4 GMT')
  const match = HTTP_DATE.exec(text)
  if (match === null) return Number.NaN
  const [, day, month, digits, time] = match
  const latest = new Date(nowMs).getUTCFullYear() + 50
  const year = digits?.length === 2 ? latest - ((latest - Number(digits)) % 100) : digits
  // Every host reads this form alike: with one digit less, it may be local time.
  return Date.parse(`${Number(day)} ${month} ${year} ${time} GMT`)
}

/**
 * @param nowMs - Milliseconds since the epoch, as the service counts them.
 * @returns Milliseconds from now, or `undefined` where there is none or it cannot be read.
 */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  const text = value?.trim() ?? ''
  // However many digits there are, it is a wait: of the largest safe number of milliseconds at most.
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  const atMs = readHttpDate(text, nowMs)
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs)
}
