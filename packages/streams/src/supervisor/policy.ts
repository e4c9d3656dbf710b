/**
 * The figures of supervision, read once.
 *
 * The defaults follow what is known of the service: pings about a minute apart, slots that stay taken for about a
 * minute after a drop.
 */
import { describe, isRecord, readInteger, readOneOf, requireKnownOptions } from '@brokerwire/core'
import { optionInvalid } from '../streams-error.ts'

/** Options of supervision. All durations in milliseconds. */
export interface SupervisionOptions {
  /** How long an attempt may take from its start to SubscribeSuccess. @defaultValue 30_000 */
  readonly subscribeTimeoutMs?: number | undefined
  /** After so long a live period the backoff starts from scratch. @defaultValue 60_000 */
  readonly stableAfterMs?: number | undefined
  /** Upper bound of the second wait; each further bound is twice as long. The first reconnect is at once. @defaultValue 1000 */
  readonly backoffBaseMs?: number | undefined
  /** No wait of the backoff is longer. @defaultValue 30_000 */
  readonly backoffMaxMs?: number | undefined
  /** Wait after NumOfConnExceed, doubled each time. @defaultValue 60_000 */
  readonly connectionLimitWaitMs?: number | undefined
  /** No wait after NumOfConnExceed is longer. @defaultValue 600_000 */
  readonly connectionLimitMaxMs?: number | undefined
  /** Silence after which a connection is given up, until the rhythm of the pings is known. @defaultValue 150_000 */
  readonly silenceMs?: number | undefined
  /** The learned bound of silence is never shorter. @defaultValue 15_000 */
  readonly silenceMinMs?: number | undefined
  /** The learned bound of silence is never longer. @defaultValue 300_000 */
  readonly silenceMaxMs?: number | undefined
  /** Attempts in a row that did not reach a stable period. @defaultValue no limit */
  readonly maxAttempts?: number | undefined
  /** Longest outage, from a drop to the next SubscribeSuccess. @defaultValue no limit */
  readonly maxElapsedMs?: number | undefined
  /** Time between two calls of the `reconcile` hook while the stream lives. @defaultValue 300_000 */
  readonly reconcileIntervalMs?: number | undefined
  /** What to do when the service refuses the cursor that was sent. @defaultValue 'fail' */
  readonly onCursorRejected?: 'fail' | 'from-now' | undefined
}

/** {@link SupervisionOptions} with nothing left out, except limits that the caller did not ask for. */
export interface SupervisorPolicy {
  readonly subscribeTimeoutMs: number
  readonly stableAfterMs: number
  readonly backoffBaseMs: number
  readonly backoffMaxMs: number
  readonly connectionLimitWaitMs: number
  readonly connectionLimitMaxMs: number
  readonly silenceMs: number
  readonly silenceMinMs: number
  readonly silenceMaxMs: number
  readonly maxAttempts: number | undefined
  readonly maxElapsedMs: number | undefined
  readonly reconcileIntervalMs: number
  readonly onCursorRejected: 'fail' | 'from-now'
}

const DAY_MS = 86_400_000

/**
 * Checks the options and fills in the defaults.
 *
 * @throws StreamsError `STREAM_OPTION_INVALID`.
 */
export function readPolicy(input: SupervisionOptions | undefined): SupervisorPolicy {
  const options: SupervisionOptions = input ?? {}
  if (!isRecord(options)) throw optionInvalid('supervision', 'an object', describe(input))
  const durationMs = (name: keyof SupervisionOptions, fallback: number): number =>
    readInteger(optionInvalid, `supervision.${name}`, options[name], { min: 1, max: DAY_MS, fallback })
  const limit = (name: keyof SupervisionOptions, max: number): number | undefined =>
    options[name] === undefined
      ? undefined
      : readInteger(optionInvalid, `supervision.${name}`, options[name], { min: 1, max, fallback: 1 })
  const silenceMinMs = durationMs('silenceMinMs', 15_000)
  const silenceMaxMs = durationMs('silenceMaxMs', 300_000)
  if (silenceMaxMs < silenceMinMs) {
    throw optionInvalid('supervision.silenceMaxMs', 'at least supervision.silenceMinMs', 'a smaller number')
  }
  const policy: SupervisorPolicy = {
    subscribeTimeoutMs: durationMs('subscribeTimeoutMs', 30_000),
    stableAfterMs: durationMs('stableAfterMs', 60_000),
    backoffBaseMs: durationMs('backoffBaseMs', 1000),
    backoffMaxMs: durationMs('backoffMaxMs', 30_000),
    connectionLimitWaitMs: durationMs('connectionLimitWaitMs', 60_000),
    connectionLimitMaxMs: durationMs('connectionLimitMaxMs', 600_000),
    silenceMs: durationMs('silenceMs', 150_000),
    silenceMinMs,
    silenceMaxMs,
    maxAttempts: limit('maxAttempts', Number.MAX_SAFE_INTEGER),
    maxElapsedMs: limit('maxElapsedMs', Number.MAX_SAFE_INTEGER),
    reconcileIntervalMs: durationMs('reconcileIntervalMs', 300_000),
    onCursorRejected: readOneOf(
      optionInvalid,
      'supervision.onCursorRejected',
      options.onCursorRejected,
      ['fail', 'from-now'],
      'fail',
    ),
  }
  requireKnownOptions(optionInvalid, options, Object.keys(policy))
  return policy
}
