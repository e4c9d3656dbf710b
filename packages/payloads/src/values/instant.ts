/** Operations on exact instants. */
import { wrongText } from '@brokerwire/core/internal'
import { notConvertible, optionInvalid } from '../payloads-error.ts'
import { type Instant, instantFields, isInstant } from './instant-text.ts'

/** The properties of `Temporal` that this package uses. The global of the runtime and polyfills have them. */
export interface TemporalLike<T> {
  /** The class of instants. */
  readonly Instant: {
    /** Creates an instant from nanoseconds since the Unix epoch. */
    fromEpochNanoseconds(nanoseconds: bigint): T
  }
}

/** The part of `Temporal.Instant` that every implementation has. */
export interface TemporalInstantLike {
  /** Nanoseconds since the Unix epoch. */
  readonly epochNanoseconds: bigint
  /** Formats the instant in ISO 8601. */
  toString(): string
}

/**
 * Parses an instant. Returns `undefined` for another format or an impossible date.
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
 * Converts an instant to nanoseconds since the Unix epoch, exactly.
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
 * Converts an instant to milliseconds since the Unix epoch, rounded down.
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

/**
 * Compares two instants: -1 if `a` is earlier, 1 if it is later, 0 if both are the same, even with different offsets.
 *
 * @example
 * ```ts
 * import { type Instant, compareInstants } from '@brokerwire/payloads'
 *
 * console.log(compareInstants('2026-01-01T00:00:00Z' as Instant, '2026-01-01T01:00:00+01:00' as Instant)) // 0
 * ```
 */
export function compareInstants(a: Instant, b: Instant): -1 | 0 | 1 {
  const difference = instantToNanoseconds(a) - instantToNanoseconds(b)
  if (difference === 0n) return 0
  return difference < 0n ? -1 : 1
}

/**
 * Converts an instant to a `Temporal.Instant`.
 *
 * @param temporal - Implementation of `Temporal`. Default: that of the runtime.
 * @throws PayloadsError `PAYLOAD_NOT_CONVERTIBLE` if the runtime has no `Temporal` and none is passed.
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
  throw notConvertible(
    'temporal',
    expected,
    '; this runtime has no Temporal. Pass one as the second argument',
  )
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
 * Returns the number of days since 1970-01-01 in the proleptic Gregorian calendar. The formula counts years
 * from March, so that the leap day is the last day. `Date.UTC` is not used, because it adds 1900 to years
 * below 100.
 */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400)
  return marchYear * 365 + leapDays + dayOfYear - 719_468
}
