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
const LONGEST_MS = 30 * 86_400_000

/** A text such as `500ms`, `30s`, `5m`, `2h`; `undefined` where it is none, or longer than allowed. */
export function readDuration(text: string, longestMs = LONGEST_MS): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(text) ?? []
  const ms = Number(digits) * (UNITS_MS[unit] ?? 0)
  return ms >= 1 && ms <= longestMs ? ms : undefined
}

/** Makes a parser for a duration. The text stays as it is, so that help shows it as it is written. */
export function duration(): (text: string) => string {
  return (text) => {
    if (readDuration(text) !== undefined) return text
    throw new InvalidArgumentError('Expected a duration such as 500ms, 30s, 5m or 2h, of at most 30 days.')
  }
}
