/** `Retry-After`: seconds, or a date (RFC 9110, section 10.2.3). */

/**
 * @param nowMs - Milliseconds since the epoch, as the service counts them.
 * @returns Milliseconds from now, or `undefined` where there is none or it cannot be read.
 */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  // Only the HTTP form of a date: `Date.parse` alone takes a lone number for a year.
  if (!/^[A-Z][a-z]+, /.test(text)) return undefined
  const atMs = Date.parse(text)
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs)
}
