/** Operations on exact instants. */
import { wrongText } from '@brokerwire/core/internal'
import { notConvertible, optionInvalid } from '../payloads-error.ts'
import { type Instant, instantFields, isInstant } from './instant-text.ts'

/** What `Temporal` is here: the part that makes an instant. The global of hosts that have it fits, polyfills fit. */
export interface TemporalLike<T> {
  readonly Instant: { fromEpochNanoseconds(nanoseconds: bigint): T }
}

/** The part of a `Temporal.Instant` that every implementation has. */
export interface TemporalInstantLike {
  readonly epochNanoseconds: bigint
  toString(): string
}

/**
 * The instant that a text is, or `undefined`: an impossible date is none.
 *
 * @example
 * ```ts
 * import { parseInstant } from '@brokerwire/payloads'
 *
 * console.log(parseInstant('2026-01-01T00:00:00.123456789Z'))
 * console.log(parseInstant('yesterday')) // undefined
 * ```
 */
export function parseInstant(text: string): Instant | undefined {
  return typeof text === 'string' && isInstant(text) ? text : undefined
}

/**
 * Nanoseconds since the Unix epoch, exact.
 *
 * @example
 * ```ts
 * import { type Instant, instantToNanoseconds } from '@brokerwire/payloads'
 *
 * console.log(instantToNanoseconds('1970-01-01T00:00:00.000000001Z' as Instant)) // 1n
 * ```
 */
export function instantToNanoseconds(value: Instant): bigint {
  const { seconds, nanosecond } = toEpoch(value)
  return BigInt(seconds) * 1_000_000_000n + BigInt(nanosecond)
}

/**
 * Milliseconds since the Unix epoch, rounded down.
 *
 * @example
 * ```ts
 * import { type Instant, instantToMilliseconds } from '@brokerwire/payloads'
 *
 * console.log(instantToMilliseconds('1970-01-01T00:00:01Z' as Instant)) // 1000
 * ```
 */
export function instantToMilliseconds(value: Instant): number {
  const { seconds, nanosecond } = toEpoch(value)
  return seconds * 1_000 + Math.floor(nanosecond / 1_000_000)
}

/** -1 where `a` is earlier, 1 where it is later, 0 where both are the same instant, whatever their offsets. */
export function compareInstants(a: Instant, b: Instant): -1 | 0 | 1 {
  const difference = instantToNanoseconds(a) - instantToNanoseconds(b)
  if (difference === 0n) return 0
  return difference < 0n ? -1 : 1
}

/**
 * The instant as a `Temporal.Instant`.
 *
 * @param temporal - @defaultValue the host's `Temporal`
 * @throws PayloadsError `PAYLOAD_NOT_CONVERTIBLE` where the host has none and none is passed.
 *
 * @example
 * ```ts
 * import { type Instant, instantToTemporal } from '@brokerwire/payloads'
 * import { Temporal } from 'temporal-polyfill'
 *
 * const at = instantToTemporal('2026-03-04T05:06:07.547958859Z' as Instant, Temporal)
 * console.log(at.toZonedDateTimeISO('America/New_York').toString())
 * ```
 */
export function instantToTemporal<T = TemporalInstantLike>(
  value: Instant,
  temporal: TemporalLike<T> | undefined = (globalThis as { Temporal?: TemporalLike<T> }).Temporal,
): T {
  const nanoseconds = instantToNanoseconds(value)
  if (temporal !== undefined) return temporal.Instant.fromEpochNanoseconds(nanoseconds)
  const expected = 'an object with Instant'
  throw notConvertible('temporal', expected, '; this host has no Temporal. Pass one as the second argument')
}

function toEpoch(value: Instant): { readonly seconds: number; readonly nanosecond: number } {
  if (typeof value !== 'string' || !isInstant(value)) {
    throw wrongText(optionInvalid, 'value', 'an instant such as "2026-03-01T12:00:00Z"', value)
  }
  const { year, month, day, hour, minute, second, nanosecond, offsetMinutes } = instantFields(value)
  const minutes = (daysSinceEpoch(year, month, day) * 24 + hour) * 60 + minute - offsetMinutes
  return { seconds: minutes * 60 + second, nanosecond }
}

/**
 * Days since 1970-01-01 in the proleptic Gregorian calendar. The year is taken to begin in March, so that the leap
 * day is its last; `Date.UTC` would move the years below 100 to the last century.
 */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400)
  return marchYear * 365 + leapDays + dayOfYear - 719_468
}
