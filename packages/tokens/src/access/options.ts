/** Options of {@link createAccessTokens}. */
import type { Store } from '@brokerwire/core'
import {
  array,
  boolean,
  type FieldsOf,
  func,
  integer,
  notify,
  oneOf,
  optional,
  readOptions,
  signal,
  string,
  typeName,
} from '@brokerwire/core/internal'
import { MONTH_MS, requireSameOrigin, sharedOptions, type TokensOptions } from '../shared-options.ts'
import { optionInvalid } from '../tokens-error.ts'
import type { AccessTokenEndpoints } from '../types.ts'
import type { AccessTokenGetOptions, ExpiringNotice, SecondFactorNotice } from './types.ts'

/**
 * Options of {@link createAccessTokens}. They are read once, so later changes of the object have no effect.
 */
export interface AccessTokensOptions extends TokensOptions<AccessTokenEndpoints> {
  /**
   * The store that all processes of this app key share. With separate stores, each process asks a person for a
   * code.
   */
  readonly store: Store
  /**
   * Whether the service requires a token: `required`, `none` (`get()` returns `undefined`), or `auto` (the service
   * is asked once).
   * @defaultValue 'required'
   */
  readonly tokenMode?: 'required' | 'none' | 'auto' | undefined
  /**
   * Whether a new token needs a second factor. If it does, a token is created only by the first `get()`
   * without a stored token, and by `renew()`. At most one create is then sent in five minutes, over all processes that share
   * the store.
   * @defaultValue `identity.environment !== 'sandbox'`
   */
  readonly secondFactor?: boolean | undefined
  /** Milliseconds between two checks of a pending token. @defaultValue 5000 */
  readonly pollIntervalMs?: number | undefined
  /** The longest time for which a call polls a pending token, in milliseconds. @defaultValue 300000 (5 min) */
  readonly pollTimeoutMs?: number | undefined
  /**
   * Thresholds before the expiry, in milliseconds, at which `onExpiring` is called if a new token needs a second
   * factor. Each threshold is reported once for all processes.
   * @defaultValue [259200000, 86400000, 3600000] (72 h, 24 h, 1 h)
   */
  readonly expiryWarningsMs?: readonly number[] | undefined
  /**
   * How long before its expiry a token is renewed automatically, in milliseconds, if no second factor is needed. A token with a
   * shorter lifetime is renewed in the last fifth of it.
   * @defaultValue 3600000
   */
  readonly renewBeforeMs?: number | undefined
  /** Codes of 401 responses that concern the access token. @defaultValue ['INVALID_TOKEN'] */
  readonly rejectionCodes?: readonly string[] | undefined
  /**
   * How often `watch()`, and a call that waits for another process, read the store, in milliseconds.
   * @defaultValue 1000
   */
  readonly storePollIntervalMs?: number | undefined
  /**
   * Milliseconds after which a token that was not used is checked, so that it may not end for lack of use. It is
   * not documented whether the service counts a check as a use. The timer keeps the process alive until
   * `close()`.
   * @defaultValue off
   */
  readonly keepAliveMs?: number | undefined
  /** Called when a person must enter a code. May be `async`; what it throws is discarded. @defaultValue none */
  readonly onSecondFactor?: ((notice: SecondFactorNotice) => void) | undefined
  /** Called at each threshold of `expiryWarningsMs`, from `get()` and `watch()`. May be `async`; what it throws is discarded. @defaultValue none */
  readonly onExpiring?: ((notice: ExpiringNotice) => void) | undefined
}

const HOUR_MS = 3_600_000
/** Schemas of {@link AccessTokensOptions}. */
export const ACCESS_TOKENS_OPTIONS = {
  ...sharedOptions<AccessTokenEndpoints>(['create', 'check']),
  tokenMode: oneOf(['required', 'none', 'auto'], 'required'),
  secondFactor: optional(boolean(true)),
  pollIntervalMs: integer({ min: 1, max: MONTH_MS, default: 5000 }),
  pollTimeoutMs: integer({ min: 1, max: MONTH_MS, default: 300_000 }),
  expiryWarningsMs: array(integer({ min: 1, max: 365 * 24 * HOUR_MS }), {
    expected: 'an array of milliseconds',
    default: [72 * HOUR_MS, 24 * HOUR_MS, HOUR_MS],
  }),
  renewBeforeMs: integer({ min: 0, max: MONTH_MS, default: HOUR_MS }),
  rejectionCodes: array(string(), { expected: 'an array of non-empty strings', default: ['INVALID_TOKEN'] }),
  storePollIntervalMs: integer({ min: 1, max: MONTH_MS, default: 1000 }),
  keepAliveMs: optional(integer({ min: 60_000, max: 15 * 24 * HOUR_MS })),
  onSecondFactor: func<(notice: SecondFactorNotice) => void>(() => {}),
  onExpiring: func<(notice: ExpiringNotice) => void>(() => {}),
} satisfies FieldsOf<AccessTokensOptions>

/** The options after the checks. */
export type AccessSettings = ReturnType<typeof readAccessOptions>

/** Checks the options. @throws TokensError `TOKEN_OPTION_INVALID`. */
export function readAccessOptions(given: AccessTokensOptions) {
  const options = readOptions(optionInvalid, given, ACCESS_TOKENS_OPTIONS)
  const {
    endpoints,
    identity,
    tokenMode,
    secondFactor = identity.environment !== 'sandbox',
    expiryWarningsMs,
  } = options
  requireSameOrigin(given.endpoints, identity)
  if (tokenMode === 'auto' && typeof endpoints.config !== 'function')
    throw optionInvalid('endpoints.config', 'a function if tokenMode is "auto"', typeName(endpoints.config))
  return {
    ...options,
    onSecondFactor: (notice: SecondFactorNotice): void => notify(() => options.onSecondFactor(notice)),
    onExpiring: (notice: ExpiringNotice): void => notify(() => options.onExpiring(notice)),
    /** Whether a token can be created without a person, because it needs no second factor. */
    createsWithoutPerson: !secondFactor,
    /** The thresholds, the longest first; empty if no second factor is needed. */
    expiryWarningsMs: secondFactor ? [...expiryWarningsMs].sort((one, other) => other - one) : [],
  }
}

/** Options of `get` and `renew`. */
export const GET_OPTIONS = {
  wait: boolean(true),
  signal,
} satisfies FieldsOf<AccessTokenGetOptions>
