/**
 * Numbers and timestamps in wire formats. Money and quantities are integers of the smallest unit until they
 * are formatted, so that no floating-point number is in a payload.
 */

/**
 * A decimal with ten decimal places, the format of `qty`. Zero is `0E-10`.
 *
 * @param units - Whole units.
 */
export function tenPlaces(units: number): string {
  return units === 0 ? '0E-10' : `${units}.0000000000`
}

/** A filled quantity with one decimal place. `0E-10` if nothing was filled. */
export function onePlace(units: number): string {
  return units === 0 ? '0E-10' : `${units}.0`
}

/** An amount in cents, with two decimal places. Zero is `0E-10`. */
export function fromCents(cents: number): string {
  if (cents === 0) return '0E-10'
  const sign = cents < 0 ? '-' : ''
  const text = String(Math.abs(cents)).padStart(3, '0')
  return `${sign}${text.slice(0, -2)}.${text.slice(-2)}`
}

/**
 * ISO 8601 with milliseconds and a numeric offset without colon, for example `2026-05-01T13:53:58.569-0500`.
 *
 * @param offsetMinutes - Minutes east of UTC.
 */
export function isoWithOffset(epochMs: number, offsetMinutes: number): string {
  const local = new Date(epochMs + offsetMinutes * 60_000).toISOString().slice(0, -1)
  const sign = offsetMinutes < 0 ? '-' : '+'
  const minutes = Math.abs(offsetMinutes)
  const pad = (value: number): string => String(value).padStart(2, '0')
  return `${local}${sign}${pad(Math.floor(minutes / 60))}${pad(minutes % 60)}`
}

/** ISO 8601 with milliseconds, UTC. */
export function isoMilliseconds(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/**
 * ISO 8601 with nanoseconds, UTC.
 *
 * @param nanoseconds - Nanoseconds within the millisecond, 0 to 999,999.
 */
export function isoNanoseconds(epochMs: number, nanoseconds: number): string {
  return `${new Date(epochMs).toISOString().slice(0, -1)}${String(nanoseconds).padStart(6, '0')}Z`
}

/** The calendar day `plusDays` days after a timestamp, for example `2026-05-11`. */
export function isoDay(epochMs: number, plusDays: number): string {
  return new Date(epochMs + plusDays * 86_400_000).toISOString().slice(0, 10)
}
