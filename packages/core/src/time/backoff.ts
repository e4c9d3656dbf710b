/** Waits before a reconnect, as pure functions. All clients that reconnect share them. */
import { duration, type FieldsOf, integer, optional } from '../options/schema.ts'

/** Options of reconnects. All durations are in milliseconds. */
export interface ReconnectOptions {
  /**
   * Milliseconds for which a connection must work before the backoff starts again at its first wait.
   * @defaultValue 60_000
   */
  readonly stableAfterMs?: number | undefined
  /**
   * Upper limit of the second wait. Each further limit is twice as long. The first reconnect is immediate.
   * @defaultValue 1000
   */
  readonly backoffBaseMs?: number | undefined
  /**
   * The maximum wait of the backoff.
   * @defaultValue 30_000
   */
  readonly backoffMaxMs?: number | undefined
  /**
   * The first wait after the service has reported that its connection limit is reached. Each further wait is
   * twice as long.
   * @defaultValue 60_000
   */
  readonly connectionLimitWaitMs?: number | undefined
  /**
   * The maximum wait because of the connection limit.
   * @defaultValue 600_000
   */
  readonly connectionLimitMaxMs?: number | undefined
  /**
   * Maximum number of consecutive attempts without a stable period.
   * @defaultValue no limit
   */
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
  /** Upper limit of the second wait, in milliseconds. Each further limit is twice as long. */
  readonly backoffBaseMs: number
  /** The maximum wait, in milliseconds. */
  readonly backoffMaxMs: number
}

/**
 * Returns the wait of an exponential backoff with full jitter, in milliseconds: a random share of a bound that doubles with
 * each failure. The first reconnect after a stable period is immediate.
 *
 * @param failures - Number of attempts that ended since the last stable period, including the last one; at least 1.
 * @param hold - Whether the service rejected the attempt. If it did, no reconnect is immediate.
 * @param random - A random number from 0 up to but not including 1.
 *
 * @example
 * ```ts
 * import { backoffMs } from '@brokerwire/core/internal'
 *
 * console.log(backoffMs({ backoffBaseMs: 1000, backoffMaxMs: 30_000 }, 3, false, Math.random()))
 * ```
 */
export function backoffMs(bounds: BackoffBounds, failures: number, hold: boolean, random: number): number {
  const doublings = failures - (hold ? 1 : 2)
  if (doublings < 0) return 0
  return Math.floor(random * Math.min(bounds.backoffMaxMs, bounds.backoffBaseMs * 2 ** doublings))
}

/** Bounds of {@link connectionLimitMs}. */
export interface ConnectionLimitBounds {
  /** The first wait, in milliseconds. Each further wait is twice as long. */
  readonly connectionLimitWaitMs: number
  /** The maximum wait, in milliseconds. */
  readonly connectionLimitMaxMs: number
}

/**
 * Returns the wait after the service reported that its connection limit is reached, in milliseconds.
 *
 * @param waits - Number of earlier waits of this kind since the last stable period.
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

/**
 * Time for which the service may still count a connection that has ended (facts, Streams: about a minute).
 */
const SLOT_HELD_MS = 60_000

/**
 * Whether the service may still count one of this client's connections that has ended.
 *
 * @param dropsMs - For each connection, when it last ended, in milliseconds since the Unix epoch; `undefined`
 * if it never did.
 *
 * @example
 * ```ts
 * import { isSlotStillHeld } from '@brokerwire/core/internal'
 *
 * console.log(isSlotStillHeld([Date.now() - 5000, undefined], Date.now())) // true
 * ```
 */
export function isSlotStillHeld(dropsMs: readonly (number | undefined)[], atMs: number): boolean {
  return dropsMs.some((dropMs) => dropMs !== undefined && atMs >= dropMs && atMs - dropMs < SLOT_HELD_MS)
}
