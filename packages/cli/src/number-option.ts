/** Numbers and durations on the command line. */
import { InvalidArgumentError } from 'commander'

/** Makes a parser for an option. Commander tells the person which option was wrong. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`)
  }
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const DAY_MS = 86_400_000
/** Of what becomes a timer. Timers of the host carry 24.8 days: a longer one would end at once. */
const LONGEST_TIMER_DAYS = 24
/** Of spans that are compared with a clock. */
const LONGEST_SPAN_DAYS = 30

/** A text such as `500ms`, `30s`, `5m`, `2h`; `undefined` where it is none, or longer than allowed. */
export function readDuration(text: string, longestMs = LONGEST_SPAN_DAYS * DAY_MS): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(text) ?? []
  const ms = Number(digits) * (UNITS_MS[unit] ?? 0)
  return ms >= 1 && ms <= longestMs ? ms : undefined
}

/** Makes a parser for a duration. The text stays as it is, so that help shows it as it is written. */
const atMost = (days: number) => (): ((text: string) => string) => (text) => {
  if (readDuration(text, days * DAY_MS) !== undefined) return text
  throw new InvalidArgumentError(`Expected a duration such as 500ms, 30s, 5m or 2h, of at most ${days} days.`)
}

/** How long is waited, or between what and what. */
export const waitingTime = atMost(LONGEST_TIMER_DAYS)
/** How long something is valid, or how far a clock is set. */
export const timeSpan = atMost(LONGEST_SPAN_DAYS)
