/**
 * The figures of supervision, read once.
 *
 * The defaults follow what is known of the service: pings about a minute apart, slots that stay taken for about a
 * minute after a drop.
 */
import {
  integerRow,
  type OptionRow,
  type OptionsRead,
  oneOfRow,
  optionalRow,
  readOptions,
} from '@brokerwire/core'
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

const durationMs = (fallback: number): OptionRow<number> => integerRow(1, 86_400_000, fallback)
const limit = optionalRow(integerRow(1, Number.MAX_SAFE_INTEGER, 1))
const POLICY = {
  subscribeTimeoutMs: durationMs(30_000),
  stableAfterMs: durationMs(60_000),
  backoffBaseMs: durationMs(1000),
  backoffMaxMs: durationMs(30_000),
  connectionLimitWaitMs: durationMs(60_000),
  connectionLimitMaxMs: durationMs(600_000),
  silenceMs: durationMs(150_000),
  silenceMinMs: durationMs(15_000),
  silenceMaxMs: durationMs(300_000),
  maxAttempts: limit,
  maxElapsedMs: limit,
  reconcileIntervalMs: durationMs(300_000),
  onCursorRejected: oneOfRow(['fail', 'from-now'], 'fail'),
} satisfies Record<keyof SupervisionOptions, OptionRow<unknown>>

/** {@link SupervisionOptions} with nothing left out, except limits that the caller did not ask for. */
export type SupervisorPolicy = OptionsRead<typeof POLICY>

/**
 * Checks the options and fills in the defaults.
 *
 * @throws StreamsError `STREAM_OPTION_INVALID`.
 */
export function readPolicy(input: SupervisionOptions = {}): SupervisorPolicy {
  const policy = readOptions(optionInvalid, 'supervision', input, POLICY)
  if (policy.silenceMaxMs >= policy.silenceMinMs) return policy
  throw optionInvalid('supervision.silenceMaxMs', 'at least supervision.silenceMinMs', 'a smaller number')
}
