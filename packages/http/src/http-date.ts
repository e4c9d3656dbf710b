/** Times in headers: dates (RFC 9110, section 5.6.7) and `Retry-After` (section 10.2.3). */

/** The form that is sent today. `Date.parse` alone takes a lone number for a year. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

/** @returns Milliseconds since the epoch; `NaN` where it is no date. */
export function readHttpDate(value: string | null | undefined): number {
  const text = value?.trim() ?? ''
  return HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN
}

/**
 * @param nowMs - Milliseconds since the epoch, as the service counts them.
 * @returns Milliseconds from now, or `undefined` where there is none or it cannot be read.
 */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const atMs = readHttpDate(text)
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs)
}
