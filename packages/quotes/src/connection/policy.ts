/** The figures of supervision, read once. Their sources stand in docs/facts.md, market data. */
import {
  describe,
  integerRow,
  type OptionRow,
  type OptionsRead,
  optionalRow,
  readOptions,
} from '@brokerwire/core'
import { optionInvalid } from '../quotes-error.ts'

/** Options of supervision. All durations in milliseconds. */
export interface QuotesSupervisionOptions {
  /** How long an attempt may take from its start to CONNACK. @defaultValue 15_000 */
  readonly connectTimeoutMs?: number | undefined
  /** Sent in CONNECT: the service gives a connection up that says nothing for one and a half times as long. @defaultValue 60_000 */
  readonly keepAliveMs?: number | undefined
  /** Between two PINGREQs. @defaultValue 30_000 */
  readonly pingIntervalMs?: number | undefined
  /** After a PINGREQ without any packet for so long, the connection is given up. @defaultValue 10_000 */
  readonly pongTimeoutMs?: number | undefined
  /** A connection without messages for so long is told as `silent`. @defaultValue 60_000 */
  readonly quietMs?: number | undefined
  /** Sends all that is wanted again so often: a healthy connection was seen to fall silent. @defaultValue never */
  readonly reassertMs?: number | undefined
  /** How long after CONNACK an unknown session is taken for one that is not known yet. @defaultValue 5000 */
  readonly sessionGraceMs?: number | undefined
  /** After so long a live period the backoff starts from scratch. @defaultValue 60_000 */
  readonly stableAfterMs?: number | undefined
  /** Upper bound of the second wait; each further bound is twice as long. The first reconnect is at once. @defaultValue 1000 */
  readonly backoffBaseMs?: number | undefined
  /** No wait of the backoff is longer. @defaultValue 30_000 */
  readonly backoffMaxMs?: number | undefined
  /** Wait after CONNACK 105, doubled each time. @defaultValue 60_000 */
  readonly connectionLimitWaitMs?: number | undefined
  /** No wait after CONNACK 105 is longer. @defaultValue 600_000 */
  readonly connectionLimitMaxMs?: number | undefined
  /** Attempts after CONNACK 5, which no document of the service has. @defaultValue 3 */
  readonly unauthorizedAttempts?: number | undefined
  /** CONNACK codes that are tried again whatever they mean, for example `[3]`. @defaultValue none */
  readonly retryCodes?: readonly number[] | undefined
  /** Attempts in a row that did not reach a stable period. @defaultValue no limit */
  readonly maxAttempts?: number | undefined
}

const durationMs = (fallback: number): OptionRow<number> => integerRow(1, 86_400_000, fallback)

const codesRow: OptionRow<readonly number[]> = (fail, option, value) => {
  if (value === undefined) return []
  const isCode = (code: unknown): boolean => Number.isInteger(code) && Number(code) > 0 && Number(code) < 256
  if (Array.isArray(value) && value.every(isCode)) return [...value]
  throw fail(option, 'an array of whole numbers from 1 to 255', describe(value))
}

const POLICY = {
  connectTimeoutMs: durationMs(15_000),
  // In CONNECT it is seconds in 16 bits.
  keepAliveMs: integerRow(1000, 65_535_000, 60_000),
  pingIntervalMs: durationMs(30_000),
  pongTimeoutMs: durationMs(10_000),
  quietMs: durationMs(60_000),
  reassertMs: optionalRow(integerRow(1000, 86_400_000)),
  sessionGraceMs: durationMs(5000),
  stableAfterMs: durationMs(60_000),
  backoffBaseMs: durationMs(1000),
  backoffMaxMs: durationMs(30_000),
  connectionLimitWaitMs: durationMs(60_000),
  connectionLimitMaxMs: durationMs(600_000),
  unauthorizedAttempts: integerRow(1, 1000, 3),
  retryCodes: codesRow,
  maxAttempts: optionalRow(integerRow(1, Number.MAX_SAFE_INTEGER)),
} satisfies Record<keyof QuotesSupervisionOptions, OptionRow<unknown>>

/** {@link QuotesSupervisionOptions} with nothing left out, except what the caller did not ask for. */
export type QuotesPolicy = OptionsRead<typeof POLICY>

/** @throws QuotesError `QUOTES_OPTION_INVALID`. */
export function readPolicy(input: QuotesSupervisionOptions = {}): QuotesPolicy {
  const policy = readOptions(optionInvalid, 'supervision', input, POLICY)
  if (policy.pingIntervalMs >= policy.keepAliveMs * 1.5) {
    throw optionInvalid(
      'supervision.pingIntervalMs',
      'less than one and a half times supervision.keepAliveMs, after which the service gives the connection up',
      'a larger number',
    )
  }
  if (policy.pongTimeoutMs >= policy.keepAliveMs * 1.5) {
    throw optionInvalid(
      'supervision.pongTimeoutMs',
      'less than one and a half times supervision.keepAliveMs: the next PINGREQ goes out when it is over',
      'a larger number',
    )
  }
  return policy
}
