/** Times as people read them. */

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** `14 d 23 h`, `1 h 5 min`, `4 min`, `12 s`: the two largest units. */
export function durationText(ms: number): string {
  const pair = (large: number, one: string, small: number, other: string): string => {
    const rest = Math.floor((ms % large) / small)
    return `${Math.floor(ms / large)} ${one}${rest === 0 ? '' : ` ${rest} ${other}`}`
  }
  if (ms >= DAY_MS) return pair(DAY_MS, 'd', HOUR_MS, 'h')
  if (ms >= HOUR_MS) return pair(HOUR_MS, 'h', MINUTE_MS, 'min')
  return ms >= MINUTE_MS ? pair(MINUTE_MS, 'min', 1000, 's') : `${Math.max(0, Math.ceil(ms / 1000))} s`
}

/** `4:05`, as a countdown shows it. */
export function countdownText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** `2026-01-02 03:04:05 UTC`. */
export function instantText(epochMs: number): string {
  const iso = new Date(epochMs).toISOString()
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`
}
