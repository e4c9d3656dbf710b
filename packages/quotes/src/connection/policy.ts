/** The figures of supervision, read once. Their sources stand in docs/facts.md, market data. */
import type { ReconnectOptions } from '@brokerwire/core'
import {
  describe,
  duration,
  type FieldsOf,
  type InferFields,
  integer,
  optional,
  RECONNECT_OPTIONS,
  readOptions,
  type Schema,
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

const codes: Schema<readonly number[]> = (value = [], option, fail) => {
  const isCode = (code: unknown): boolean => Number.isInteger(code) && Number(code) > 0 && Number(code) < 256
  if (Array.isArray(value) && value.every(isCode)) return [...value]
  throw fail(option, 'an array of whole numbers from 1 to 255', describe(value))
}

const POLICY = {
  ...RECONNECT_OPTIONS,
  connectTimeoutMs: duration(15_000),
  // In CONNECT it is seconds in 16 bits.
  keepAliveMs: integer({ min: 1000, max: 65_535_000, default: 60_000 }),
  pingIntervalMs: duration(30_000),
  pongTimeoutMs: duration(10_000),
  quietMs: duration(60_000),
  reassertMs: optional(integer({ min: 1000, max: 86_400_000 })),
  sessionGraceMs: duration(5000),
  unauthorizedAttempts: integer({ min: 1, max: 1000, default: 3 }),
  retryCodes: codes,
} satisfies FieldsOf<QuotesSupervisionOptions>

/** {@link QuotesSupervisionOptions} with nothing left out, except what the caller did not ask for. */
export type QuotesPolicy = InferFields<typeof POLICY>

/** Schema of {@link QuotesSupervisionOptions}. */
export const supervision: Schema<QuotesPolicy> = (value, path, fail) => {
  const policy = readOptions(fail, value ?? {}, POLICY, path)
  for (const name of ['pingIntervalMs', 'pongTimeoutMs'] as const) {
    if (policy[name] >= policy.keepAliveMs * 1.5) {
      // The service closes a connection that sends nothing for so long.
      const expected = `less than one and a half times ${path}.keepAliveMs`
      throw fail(`${path}.${name}`, expected, String(policy[name]))
    }
  }
  return policy
}

/** @throws QuotesError `QUOTES_OPTION_INVALID`. */
export function readPolicy(input: QuotesSupervisionOptions = {}): QuotesPolicy {
  return supervision(input, 'supervision', optionInvalid)
}
