/** Options of supervision. docs/facts.md, market data, has the sources of the defaults. */
import type { ReconnectOptions } from '@brokerwire/core'
import {
  duration,
  type FieldsOf,
  type InferFields,
  integer,
  optional,
  RECONNECT_OPTIONS,
  readOptions,
  type Schema,
  typeName,
} from '@brokerwire/core/internal'
import { optionInvalid } from '../quotes-error.ts'

/** Options of supervision. All durations in milliseconds. */
export interface QuotesSupervisionOptions extends ReconnectOptions {
  /** Longest time from the start of an attempt to CONNACK. @defaultValue 15_000 */
  readonly connectTimeoutMs?: number | undefined
  /**
   * Keep Alive of CONNECT. The service closes a connection if the client sends nothing for 1.5 times this
   * duration.
   * @defaultValue 60_000
   */
  readonly keepAliveMs?: number | undefined
  /** Interval of PINGREQ packets. @defaultValue 30_000 */
  readonly pingIntervalMs?: number | undefined
  /**
   * Longest wait for any packet after a PINGREQ. If none is received, the client reconnects.
   * @defaultValue 10_000
   */
  readonly pongTimeoutMs?: number | undefined
  /** Time without messages until a `stalled` notice. @defaultValue 60_000 */
  readonly stallTimeoutMs?: number | undefined
  /**
   * Interval at which all subscribe calls are sent again, for connections that are open but deliver no more
   * messages.
   * @defaultValue never
   */
  readonly resubscribeIntervalMs?: number | undefined
  /**
   * Time after CONNACK in which a subscribe call is retried if the service does not know the session yet.
   * @defaultValue 5000
   */
  readonly sessionGraceMs?: number | undefined
  /** Number of attempts after CONNACK 5, a code that the service does not document. @defaultValue 3 */
  readonly unauthorizedAttempts?: number | undefined
  /** CONNACK codes that are always retried, for example `[3]`. @defaultValue none */
  readonly retryCodes?: readonly number[] | undefined
}

const codes: Schema<readonly number[]> = (value = [], option, fail) => {
  const isCode = (code: unknown): boolean => Number.isInteger(code) && Number(code) > 0 && Number(code) < 256
  if (Array.isArray(value) && value.every(isCode)) return [...value]
  throw fail(option, 'an array of whole numbers from 1 to 255', typeName(value))
}

const POLICY = {
  ...RECONNECT_OPTIONS,
  connectTimeoutMs: duration(15_000),
  // CONNECT contains Keep Alive in seconds, as a 16-bit integer.
  keepAliveMs: integer({ min: 1000, max: 65_535_000, default: 60_000 }),
  pingIntervalMs: duration(30_000),
  pongTimeoutMs: duration(10_000),
  stallTimeoutMs: duration(60_000),
  resubscribeIntervalMs: optional(integer({ min: 1000, max: 86_400_000 })),
  sessionGraceMs: duration(5000),
  unauthorizedAttempts: integer({ min: 1, max: 1000, default: 3 }),
  retryCodes: codes,
} satisfies FieldsOf<QuotesSupervisionOptions>

/** {@link QuotesSupervisionOptions} with defaults. */
export type QuotesPolicy = InferFields<typeof POLICY>

/** Schema of {@link QuotesSupervisionOptions}. */
export const supervision: Schema<QuotesPolicy> = (value, path, fail) => {
  const policy = readOptions(fail, value ?? {}, POLICY, path)
  for (const name of ['pingIntervalMs', 'pongTimeoutMs'] as const) {
    if (policy[name] >= policy.keepAliveMs * 1.5) {
      // The service closes a connection after this time without packets.
      const expected = `less than one and a half times ${path}.keepAliveMs`
      throw fail(`${path}.${name}`, expected, String(policy[name]))
    }
  }
  return policy
}

/** @throws QuotesError `QUOTES_OPTION_INVALID`. */
export function parsePolicy(input: QuotesSupervisionOptions = {}): QuotesPolicy {
  return supervision(input, 'supervision', optionInvalid)
}
