/** The figures of supervision, read once. Their sources stand in docs/facts.md, market data. */
import type { ReconnectOptions } from '@brokerwire/core'
import {
  describe,
  durationRow,
  integerRow,
  type OptionRow,
  type OptionsRead,
  optionalRow,
  RECONNECT_ROWS,
  readOptionTable,
} from '@brokerwire/core/internal'
import { optionInvalid } from '../quotes-error.ts'

/** Options of supervision. All durations in milliseconds. */
export interface QuotesSupervisionOptions extends ReconnectOptions {
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
  /** Attempts after CONNACK 5, which no document of the service has. @defaultValue 3 */
  readonly unauthorizedAttempts?: number | undefined
  /** CONNACK codes that are tried again whatever they mean, for example `[3]`. @defaultValue none */
  readonly retryCodes?: readonly number[] | undefined
}

const codesRow: OptionRow<readonly number[]> = (fail, option, value) => {
  if (value === undefined) return []
  const isCode = (code: unknown): boolean => Number.isInteger(code) && Number(code) > 0 && Number(code) < 256
  if (Array.isArray(value) && value.every(isCode)) return [...value]
  throw fail(option, 'an array of whole numbers from 1 to 255', describe(value))
}

const POLICY = {
  ...RECONNECT_ROWS,
  connectTimeoutMs: durationRow(15_000),
  // In CONNECT it is seconds in 16 bits.
  keepAliveMs: integerRow(1000, 65_535_000, 60_000),
  pingIntervalMs: durationRow(30_000),
  pongTimeoutMs: durationRow(10_000),
  quietMs: durationRow(60_000),
  reassertMs: optionalRow(integerRow(1000, 86_400_000)),
  sessionGraceMs: durationRow(5000),
  unauthorizedAttempts: integerRow(1, 1000, 3),
  retryCodes: codesRow,
} satisfies Record<keyof QuotesSupervisionOptions, OptionRow<unknown>>

/** {@link QuotesSupervisionOptions} with nothing left out, except what the caller did not ask for. */
export type QuotesPolicy = OptionsRead<typeof POLICY>

/** @throws QuotesError `QUOTES_OPTION_INVALID`. */
export function readPolicy(input: QuotesSupervisionOptions = {}): QuotesPolicy {
  const policy = readOptionTable(optionInvalid, 'supervision', input, POLICY)
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
