/** Durations in messages. */

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/**
 * Returns a duration in its two largest units: `14 d 23 h`, `1 h 5 min`, `4 min`, `12 s`. A duration of less
 * than a second is shown as one second.
 */
export function durationText(ms: number): string {
  const pair = (large: number, one: string, small: number, other: string): string => {
    const rest = Math.floor((ms % large) / small)
    return `${Math.floor(ms / large)} ${one}${rest === 0 ? '' : ` ${rest} ${other}`}`
  }
  if (ms >= DAY_MS) return pair(DAY_MS, 'd', HOUR_MS, 'h')
  if (ms >= HOUR_MS) return pair(HOUR_MS, 'h', MINUTE_MS, 'min')
  return ms >= MINUTE_MS ? pair(MINUTE_MS, 'min', 1000, 's') : `${Math.max(0, Math.ceil(ms / 1000))} s`
}
