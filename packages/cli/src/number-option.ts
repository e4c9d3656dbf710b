/** Numbers and durations on the command line. */
import { optionError } from './cli-error.ts'
import { receivedText } from './suggestion.ts'

/** Parses the value of a flag. @throws CliError `CLI_OPTION_INVALID`, which names `flag`. */
export type ReadFlag<T> = (text: string, flag: string) => T

/** Creates a parser for a flag. */
export function wholeNumber(min: number, max: number): ReadFlag<number> {
  return (text, flag) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    throw optionError(flag, `must be a whole number from ${min} to ${max}${receivedText(text)}`)
  }
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const DAY_MS = 86_400_000
/**
 * Maximum duration of a timer, in days. The timers of the host support at most 24.8 days, and fire
 * immediately if the duration is longer.
 */
const MAX_TIMER_DAYS = 24
const MAX_REQUEST_DAYS = 1
/** Maximum duration that is only compared with a clock, in days. */
export const MAX_SPAN_DAYS = 30

/** Parses a duration such as `500ms`, `30s`, `5m`, `2h`. Returns `undefined` if it is invalid or too long. */
export function parseDuration(text: string, maxMs = MAX_SPAN_DAYS * DAY_MS): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(text) ?? []
  const ms = Number(digits) * (UNITS_MS[unit] ?? 0)
  return ms >= 1 && ms <= maxMs ? ms : undefined
}

/** Creates a parser for a duration. The value stays a string, so that the help shows it as it is written. */
const durationUpTo = (days: number) => (): ReadFlag<string> => (text, flag) => {
  if (parseDuration(text, days * DAY_MS) !== undefined) return text
  throw optionError(flag, durationProblem(text, days))
}

/** Returns the message about an invalid duration. */
export const durationProblem = (text: string, days: number): string =>
  `must be a duration such as 500ms, 30s, 5m or 2h, of at most ${days === 1 ? 'a day' : `${days} days`}${receivedText(text)}`

/** A waiting time, or an interval between actions. */
export const waitingTime = durationUpTo(MAX_TIMER_DAYS)
/** The time limit of a request: at most a day, as in the HTTP client. */
export const requestTime = durationUpTo(MAX_REQUEST_DAYS)
/** A lifetime, or a change of the clock. */
export const timeSpan = durationUpTo(MAX_SPAN_DAYS)
