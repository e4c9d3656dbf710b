/** Options of the access-token runner, read once. */
import type { Store } from '@brokerwire/core'
import {
  array,
  boolean,
  describe,
  type FieldsOf,
  func,
  integer,
  notify,
  oneOf,
  optional,
  readOptions,
  signal,
  string,
} from '@brokerwire/core/internal'
import { accessCalls } from '../endpoints/access-calls.ts'
import { MONTH_MS, requireSameOrigin, sharedOptions, type TokensOptions } from '../shared-options.ts'
import { optionInvalid } from '../tokens-error.ts'
import type { TokenApi } from '../types.ts'
import type { AccessTokenGetOptions, TokenNotice } from './types.ts'

/** Options of {@link createAccessTokens}. Read once: changing the object later changes nothing. */
export interface AccessTokensOptions extends TokensOptions<TokenApi> {
  /** Shared by all processes that use this app key: a token store of its own in each asks the person again. */
  readonly store: Store
  /**
   * Whether the service wants a token: `required`, `none` (`get()` gives `undefined`), or `ask` it once.
   * @defaultValue 'required'
   */
  readonly tokenMode?: 'required' | 'none' | 'ask' | undefined
  /**
   * Whether a new token needs a person. Where it does, nothing but the first `get()` without any token, and
   * `renew()`, makes one.
   * @defaultValue `identity.environment !== 'sandbox'`
   */
  readonly secondFactor?: boolean | undefined
  /** @defaultValue 5000 */
  readonly pollIntervalMs?: number | undefined
  /** @defaultValue 300000 */
  readonly pollTimeoutMs?: number | undefined
  /**
   * When the end of a token is announced, before it, where a new one needs a person.
   * @defaultValue [259200000, 86400000, 3600000] (72 h, 24 h, 1 h)
   */
  readonly expiringMs?: readonly number[] | undefined
  /**
   * How long before its end a token is renewed where no person is needed.
   * @defaultValue 3600000
   */
  readonly renewBeforeMs?: number | undefined
  /** 401 codes that are about the access token. @defaultValue ['INVALID_TOKEN'] */
  readonly rejectionCodes?: readonly string[] | undefined
  /** How often the store is read by those who wait for another process. @defaultValue 1000 */
  readonly storeLookMs?: number | undefined
  /**
   * A token that nobody asked for in this time is checked, so that it is not given up for lack of use. Whether a
   * check counts as use is not documented. The timer keeps a process alive until it is disposed.
   * @defaultValue off
   */
  readonly keepAliveMs?: number | undefined
  /** Tells a person: a code is needed, or the token comes to its end. Cannot steer. */
  readonly notify?: ((notice: TokenNotice) => void) | undefined
}

const HOUR_MS = 3_600_000
/** Schemas of {@link AccessTokensOptions}. */
export const ACCESS_TOKENS_OPTIONS = {
  ...sharedOptions<TokenApi>(['create', 'check'], accessCalls),
  tokenMode: oneOf(['required', 'none', 'ask'], 'required'),
  secondFactor: optional(boolean(true)),
  pollIntervalMs: integer({ min: 1, max: MONTH_MS, default: 5000 }),
  pollTimeoutMs: integer({ min: 1, max: MONTH_MS, default: 300_000 }),
  expiringMs: array(integer({ min: 1, max: 365 * 24 * HOUR_MS }), {
    expected: 'an array of milliseconds',
    default: [72 * HOUR_MS, 24 * HOUR_MS, HOUR_MS],
  }),
  renewBeforeMs: integer({ min: 0, max: MONTH_MS, default: HOUR_MS }),
  rejectionCodes: array(string(), { expected: 'an array of non-empty strings', default: ['INVALID_TOKEN'] }),
  storeLookMs: integer({ min: 1, max: MONTH_MS, default: 1000 }),
  keepAliveMs: optional(integer({ min: 60_000, max: 15 * 24 * HOUR_MS })),
  notify: func<(notice: TokenNotice) => void>(() => {}),
} satisfies FieldsOf<AccessTokensOptions>

/** The options as they are used. */
export type AccessSettings = ReturnType<typeof readAccessOptions>

/** @throws TokensError `TOKEN_OPTION_INVALID`. */
export function readAccessOptions(given: AccessTokensOptions) {
  const options = readOptions(optionInvalid, given, ACCESS_TOKENS_OPTIONS)
  const { api, identity, tokenMode, secondFactor = identity.environment !== 'sandbox', expiringMs } = options
  requireSameOrigin(given.api, identity)
  if (tokenMode === 'ask' && typeof api.config !== 'function')
    throw optionInvalid('api.config', 'a function if tokenMode is "ask"', describe(api.config))
  return {
    ...options,
    notify: (notice: TokenNotice): void => notify(() => options.notify(notice)),
    /** Where no person is needed for a token. */
    sandbox: !secondFactor,
    /** The longest first; none where no person has to be told. */
    expiringMs: secondFactor ? [...expiringMs].sort((one, other) => other - one) : [],
  }
}

/** The options of `get` and `renew`. */
export const GET_OPTIONS = {
  wait: boolean(true),
  signal,
} satisfies FieldsOf<AccessTokenGetOptions>
