/** Durations and times for people. */
export { durationText } from '@brokerwire/core/internal'

/** Formats a countdown such as `4:05`. */
export function countdownText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Formats a UTC time such as `2026-01-02 03:04:05 UTC`. */
export function instantText(epochMs: number): string {
  const iso = new Date(epochMs).toISOString()
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`
}
