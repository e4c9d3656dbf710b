/** How instants, durations and counts are written. */

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** The two largest units of a duration: `14 d 23 h`, `4 min 59 s`, `0 s`. */
export function durationText(ms: number): string {
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

/** `2026-01-31 14:05:09`, of UTC: the wire's own time. */
export const instantText = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

/** `14:05:09.123`, of UTC. */
export const timeText = (ms: number): string => new Date(ms).toISOString().slice(11, 23)

/** `14:05:09.123` of an ISO 8601 text. */
export const timeOf = (iso: string): string => iso.slice(11, 23).padEnd(12, '0')

/** `1,234`. */
export const countText = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

/** `1 token`, `2 tokens`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`
