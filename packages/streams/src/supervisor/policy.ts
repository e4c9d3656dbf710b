/**
 * The figures of supervision, read once, and how much silence they bear. How long is waited is core's to say.
 *
 * The defaults follow what is known of the service: pings about a minute apart, slots that stay taken for about a
 * minute after a drop.
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

/** Options of supervision. All durations in milliseconds. */
export interface SupervisionOptions extends ReconnectOptions {
  /** How long an attempt may take from its start to SubscribeSuccess. @defaultValue 30_000 */
  readonly subscribeTimeoutMs?: number | undefined
  /** Time without a frame before the connection is replaced, until the interval of the pings is known. @defaultValue 150_000 */
  readonly heartbeatTimeoutMs?: number | undefined
  /** The shortest timeout that follows from the interval of the pings. @defaultValue 15_000 */
  readonly minHeartbeatTimeoutMs?: number | undefined
  /** The longest timeout that follows from the interval of the pings. @defaultValue 300_000 */
  readonly maxHeartbeatTimeoutMs?: number | undefined
  /** Longest outage, from a drop to the next SubscribeSuccess. @defaultValue no limit */
  readonly maxElapsedMs?: number | undefined
  /** Time between two calls of the `backfill` hook while the stream lives. @defaultValue 300_000 */
  readonly backfillIntervalMs?: number | undefined
  /** What to do when the service refuses the cursor that was sent. @defaultValue 'fail' */
  readonly onCursorRejected?: 'fail' | 'from-now' | undefined
  /**
   * What to do when the service refuses a subscription with an access token and there is no other token. `'without-token'`: one
   * attempt without it, and a notice. @defaultValue 'fail'
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
  // No default: the umbrella has another one.
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
 */
export function readPolicy(input: SupervisionOptions = {}): SupervisorPolicy {
  return supervision(input, 'supervision', optionInvalid)
}

/** How much silence is borne: two and a half ping intervals, within the policy's bounds. */
export function heartbeatTimeoutMs(policy: SupervisorPolicy, pingIntervalMs: number | undefined): number {
  if (pingIntervalMs === undefined) return policy.heartbeatTimeoutMs
  return Math.min(
    policy.maxHeartbeatTimeoutMs,
    Math.max(policy.minHeartbeatTimeoutMs, Math.round(pingIntervalMs * 2.5)),
  )
}

/** The part of {@link heartbeatTimeoutMs} after which a heartbeat counts as late: one and a half ping intervals. */
export function lateMs(policy: SupervisorPolicy, pingIntervalMs: number | undefined): number {
  return Math.round(heartbeatTimeoutMs(policy, pingIntervalMs) * 0.6)
}

/**
 * The rhythm of the pings, smoothed.
 *
 * @param observedMs - Time between two pings of one connection. Ignored where a jump of a clock made it absurd.
 */
export function learnRhythm(
  policy: SupervisorPolicy,
  knownMs: number | undefined,
  observedMs: number,
): number | undefined {
  if (!(observedMs > 0 && observedMs <= policy.maxHeartbeatTimeoutMs)) return knownMs
  return knownMs === undefined ? observedMs : Math.round((knownMs + observedMs) / 2)
}
