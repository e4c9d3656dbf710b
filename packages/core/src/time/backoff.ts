/** How long to wait before a connection is opened again, as pure functions: one rule for everything that comes back. */
import { duration, type FieldsOf, integer, optional } from '../options/schema.ts'

/** Options of whatever opens its connections again. All durations in milliseconds. */
export interface ReconnectOptions {
  /** After so long a live period the backoff starts from scratch. @defaultValue 60_000 */
  readonly stableAfterMs?: number | undefined
  /** Upper bound of the second wait; each further bound is twice as long. The first reconnect is at once. @defaultValue 1000 */
  readonly backoffBaseMs?: number | undefined
  /** No wait of the backoff is longer. @defaultValue 30_000 */
  readonly backoffMaxMs?: number | undefined
  /** Wait after the service said that its limit of connections is reached, doubled each time. @defaultValue 60_000 */
  readonly connectionLimitWaitMs?: number | undefined
  /** No such wait is longer. @defaultValue 600_000 */
  readonly connectionLimitMaxMs?: number | undefined
  /** Attempts in a row that did not reach a stable period. @defaultValue no limit */
  readonly maxAttempts?: number | undefined
}

/** Schemas of {@link ReconnectOptions}. */
export const RECONNECT_OPTIONS = {
  stableAfterMs: duration(60_000),
  backoffBaseMs: duration(1000),
  backoffMaxMs: duration(30_000),
  connectionLimitWaitMs: duration(60_000),
  connectionLimitMaxMs: duration(600_000),
  maxAttempts: optional(integer({ min: 1, max: Number.MAX_SAFE_INTEGER })),
} satisfies FieldsOf<ReconnectOptions>

/** Bounds of {@link backoffMs}. */
export interface BackoffBounds {
  /** Upper bound of the second wait, in milliseconds; each further bound is twice as long. */
  readonly backoffBaseMs: number
  /** No wait is longer. */
  readonly backoffMaxMs: number
}

/**
 * Full jitter: a random share of a bound that doubles. The first reconnect after a stable period is at once.
 *
 * @param failures - Attempts that ended since the last stable period, this one included; at least 1.
 * @param hold - Never at once: the service itself turned the attempt away.
 * @param draw - From 0 up to but not including 1.
 *
 * @example
 * ```ts
 * import { backoffMs } from '@brokerwire/core/internal'
 *
 * console.log(backoffMs({ backoffBaseMs: 1000, backoffMaxMs: 30_000 }, 3, false, Math.random()))
 * ```
 */
export function backoffMs(bounds: BackoffBounds, failures: number, hold: boolean, draw: number): number {
  const doublings = failures - (hold ? 1 : 2)
  if (doublings < 0) return 0
  return Math.floor(draw * Math.min(bounds.backoffMaxMs, bounds.backoffBaseMs * 2 ** doublings))
}

/** Bounds of {@link connectionLimitMs}. */
export interface ConnectionLimitBounds {
  /** The first wait, in milliseconds, doubled each time. */
  readonly connectionLimitWaitMs: number
  /** No wait is longer. */
  readonly connectionLimitMaxMs: number
}

/**
 * The wait after the service said that its limit of connections is reached.
 *
 * @param waits - Such waits since the last stable period, before this one.
 *
 * @example
 * ```ts
 * import { connectionLimitMs } from '@brokerwire/core/internal'
 *
 * console.log(connectionLimitMs({ connectionLimitWaitMs: 60_000, connectionLimitMaxMs: 600_000 }, 0)) // 60000
 * ```
 */
export function connectionLimitMs(bounds: ConnectionLimitBounds, waits: number): number {
  return Math.min(bounds.connectionLimitMaxMs, bounds.connectionLimitWaitMs * 2 ** waits)
}

/** How long after a drop of ours a taken slot is put down to it (facts, Streams: about a minute). */
const LINGERING_MS = 60_000

/**
 * Whether the service may still count a connection of ours that ended.
 *
 * @param dropsMs - When such connections last ended, milliseconds since the Unix epoch; `undefined` where none did.
 *
 * @example
 * ```ts
 * import { isLingering } from '@brokerwire/core/internal'
 *
 * console.log(isLingering([Date.now() - 5000, undefined], Date.now())) // true
 * ```
 */
export function isLingering(dropsMs: readonly (number | undefined)[], atMs: number): boolean {
  return dropsMs.some((dropMs) => dropMs !== undefined && atMs >= dropMs && atMs - dropMs < LINGERING_MS)
}
