/**
 * Formats numbers and timestamps for the wire. Money and quantities are integers of the smallest unit until
 * they are formatted, so that no payload contains a floating-point number with a rounding error.
 */

/**
 * Formats a decimal with ten decimal places, as in `qty`. Zero is `0E-10`.
 *
 * @param units - Whole units.
 */
export function tenPlaces(units: number): string {
  return units === 0 ? '0E-10' : `${units}.0000000000`
}

/** Formats a filled quantity with one decimal place. Zero is `0E-10`. */
export function onePlace(units: number): string {
  return units === 0 ? '0E-10' : `${units}.0`
}

/** Formats an amount in cents, with two decimal places. Zero is `0E-10`. */
export function fromCents(cents: number): string {
  if (cents === 0) return '0E-10'
  const sign = cents < 0 ? '-' : ''
  const text = String(Math.abs(cents)).padStart(3, '0')
  return `${sign}${text.slice(0, -2)}.${text.slice(-2)}`
}

/**
 * Formats a timestamp in ISO 8601 with milliseconds and a numeric offset without a colon, for example
 * `2026-05-01T13:53:58.569-0500`.
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

/** Formats a timestamp in ISO 8601 with milliseconds, in UTC. */
export function isoMilliseconds(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/**
 * Formats a timestamp in ISO 8601 with nanoseconds, in UTC.
 *
 * @param nanoseconds - Nanoseconds within the millisecond, 0 to 999,999.
 */
export function isoNanoseconds(epochMs: number, nanoseconds: number): string {
  return `${new Date(epochMs).toISOString().slice(0, -1)}${String(nanoseconds).padStart(6, '0')}Z`
}

/** Formats the calendar day in UTC that is `plusDays` days after a timestamp, for example `2026-05-11`. */
export function isoDay(epochMs: number, plusDays: number): string {
  return new Date(epochMs + plusDays * 86_400_000).toISOString().slice(0, 10)
}
