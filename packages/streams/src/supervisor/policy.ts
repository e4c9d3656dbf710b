/**
 * The options of supervision, and the timeouts that follow from them. The delays between attempts are computed in core.
 *
 * The defaults follow what is known about the service: one ping a minute, and connection slots that it frees about a minute
 * after a connection is lost.
 */
import type { ReconnectOptions } from '@brokerwire/core'
import {
  duration,
  type FieldsOf,
  integer,
  oneOf,
  optional,
  RECONNECT_OPTIONS,
  readOptions,
  type Schema,
} from '@brokerwire/core/internal'
import { optionInvalid } from '../streams-error.ts'

/** Options of supervision. All durations are in milliseconds. */
export interface SupervisionOptions extends ReconnectOptions {
  /** Longest time from the start of an attempt to SubscribeSuccess. @defaultValue 30_000 */
  readonly subscribeTimeoutMs?: number | undefined
  /**
   * Time without a frame after which the connection is replaced. It applies until the interval of the pings
   * is known.
   * @defaultValue 150_000
   */
  readonly heartbeatTimeoutMs?: number | undefined
  /**
   * Lower bound of the heartbeat timeout that is computed from the interval of the pings.
   * @defaultValue 15_000
   */
  readonly minHeartbeatTimeoutMs?: number | undefined
  /**
   * Upper bound of the heartbeat timeout that is computed from the interval of the pings.
   * @defaultValue 300_000
   */
  readonly maxHeartbeatTimeoutMs?: number | undefined
  /** Longest outage, from the loss of a connection to the next SubscribeSuccess. @defaultValue no limit */
  readonly maxElapsedMs?: number | undefined
  /**
   * Time between two calls of the `backfill` hook while the stream is live. A backfill of states uses its `intervalMs`
   * instead. @defaultValue 300_000
   */
  readonly backfillIntervalMs?: number | undefined
  /**
   * The reaction to a rejected cursor. `'fail'`: the stream ends with `STREAM_CURSOR_REJECTED`. `'from-now'`: it continues without a
   * cursor and reports a gap. The cursor is removed from the store when you have handled the notice. @defaultValue 'fail'
   */
  readonly onCursorRejected?: 'fail' | 'from-now' | undefined
  /**
   * The reaction to a rejected access token if there is no other token. `'fail'`: the stream ends with
   * `STREAM_AUTH_REJECTED`. `'without-token'`: the stream makes one attempt without the token, and reports it
   * in a notice. @defaultValue 'fail'
   */
  readonly onTokenRejected?: 'fail' | 'without-token' | undefined
}

const POLICY = {
  ...RECONNECT_OPTIONS,
  subscribeTimeoutMs: duration(30_000),
  heartbeatTimeoutMs: duration(150_000),
  minHeartbeatTimeoutMs: duration(15_000),
  maxHeartbeatTimeoutMs: duration(300_000),
  maxElapsedMs: optional(integer({ min: 1, max: Number.MAX_SAFE_INTEGER })),
  backfillIntervalMs: duration(300_000),
  onCursorRejected: oneOf(['fail', 'from-now'], 'fail'),
  // There is no default here, because `createBrokerage` has another default.
  onTokenRejected: optional(oneOf(['fail', 'without-token'])),
} satisfies FieldsOf<SupervisionOptions>

type WithoutDefault = 'maxAttempts' | 'maxElapsedMs' | 'onTokenRejected'

/** {@link SupervisionOptions} with all defaults. Options without a default stay optional. */
export type SupervisorPolicy = Readonly<
  {
    [Name in Exclude<keyof SupervisionOptions, WithoutDefault>]: NonNullable<SupervisionOptions[Name]>
  } & {
    [Name in WithoutDefault]: SupervisionOptions[Name]
  }
>

/** Schema of {@link SupervisionOptions}. */
export const supervision: Schema<SupervisorPolicy> = (value, path, fail) => {
  const policy = readOptions(fail, value ?? {}, POLICY, path)
  if (policy.maxHeartbeatTimeoutMs >= policy.minHeartbeatTimeoutMs) return policy
  throw fail(
    `${path}.maxHeartbeatTimeoutMs`,
    `at least ${path}.minHeartbeatTimeoutMs`,
    String(policy.maxHeartbeatTimeoutMs),
  )
}

/**
 * Checks the options and fills in the defaults.
 *
 * @throws StreamsError `STREAM_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { readPolicy } from '@brokerwire/streams'
 *
 * console.log(readPolicy({ maxAttempts: 5 }).subscribeTimeoutMs) // 30000
 * ```
 */
export function readPolicy(input: SupervisionOptions = {}): SupervisorPolicy {
  return supervision(input, 'supervision', optionInvalid)
}

/**
 * Returns the time without a frame after which a connection is replaced: two and a half ping intervals,
 * within the policy's bounds.
 */
export function heartbeatTimeoutMs(policy: SupervisorPolicy, pingIntervalMs: number | undefined): number {
  if (pingIntervalMs === undefined) return policy.heartbeatTimeoutMs
  return Math.min(
    policy.maxHeartbeatTimeoutMs,
    Math.max(policy.minHeartbeatTimeoutMs, Math.round(pingIntervalMs * 2.5)),
  )
}

/**
 * Returns the time without a frame after which the heartbeat is late: 60 % of the timeout, which is one and a
 * half ping intervals.
 */
export function lateHeartbeatMs(policy: SupervisorPolicy, pingIntervalMs: number | undefined): number {
  return Math.round(heartbeatTimeoutMs(policy, pingIntervalMs) * 0.6)
}

/**
 * Returns the new estimate of the ping interval: the mean of the old one and the observed one.
 *
 * @param observedMs - Time between two pings of one connection. Ignored if it is out of range, which happens
 * if a clock was set.
 */
export function updatePingInterval(
  policy: SupervisorPolicy,
  knownMs: number | undefined,
  observedMs: number,
): number | undefined {
  if (!(observedMs > 0 && observedMs <= policy.maxHeartbeatTimeoutMs)) return knownMs
  return knownMs === undefined ? observedMs : Math.round((knownMs + observedMs) / 2)
}
