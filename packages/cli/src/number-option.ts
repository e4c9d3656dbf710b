/** Numbers and durations on the command line. */
import { optionError } from './cli-error.ts'
import { receivedText } from './suggestion.ts'

/** Reads the text of a flag. @throws CliError `CLI_OPTION_INVALID`, which names `flag`. */
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
/** Of what becomes a timer. Timers of the host carry 24.8 days: a longer one would end at once. */
const LONGEST_TIMER_DAYS = 24
const LONGEST_REQUEST_DAYS = 1
/** Of spans that are compared with a clock. */
export const LONGEST_SPAN_DAYS = 30

/** A text such as `500ms`, `30s`, `5m`, `2h`; `undefined` where it is none, or longer than allowed. */
export function readDuration(text: string, longestMs = LONGEST_SPAN_DAYS * DAY_MS): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(text) ?? []
  const ms = Number(digits) * (UNITS_MS[unit] ?? 0)
  return ms >= 1 && ms <= longestMs ? ms : undefined
}

/** Creates a parser for a duration. The text stays as it is, so that help shows it as it is written. */
const atMost = (days: number) => (): ReadFlag<string> => (text, flag) => {
  if (readDuration(text, days * DAY_MS) !== undefined) return text
  throw optionError(flag, durationProblem(text, days))
}

/** The sentence about a text that is no duration. */
export const durationProblem = (text: string, days: number): string =>
  `must be a duration such as 500ms, 30s, 5m or 2h, of at most ${days === 1 ? 'a day' : `${days} days`}${receivedText(text)}`

/** A time to wait, or between two actions. */
export const waitingTime = atMost(LONGEST_TIMER_DAYS)
/** The time limit of a request: the HTTP client takes a day. */
export const requestTime = atMost(LONGEST_REQUEST_DAYS)
/** How long something is valid, or how far a clock is set. */
export const timeSpan = atMost(LONGEST_SPAN_DAYS)
