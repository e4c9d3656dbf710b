/** Formatting of instants, durations and counts. */

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** Formats a duration with its two largest units: `14 d 23 h`, `4 min 59 s`, `0 s`. */
export function formatDuration(ms: number): string {
  let rest = Math.max(0, Math.floor(ms / 1000) * 1000)
  const parts: string[] = []
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0 || (unit === 's' && parts.length === 0)) parts.push(`${count} ${unit}`)
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.join(' ')
}

/** Formats an instant in UTC: `2026-01-31 14:05:09`. */
export const formatInstant = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

/** Formats a time of day in UTC: `14:05:09.123`. */
export const formatTime = (ms: number): string => new Date(ms).toISOString().slice(11, 23)

/** Returns the time of day of an ISO 8601 string: `14:05:09.123`. */
export const formatIsoTime = (iso: string): string => iso.slice(11, 23).padEnd(12, '0')

/** Formats a count: `1,234`. */
export const formatCount = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

/** Formats a count with its noun: `1 token`, `2 tokens`. */
export const pluralize = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`
