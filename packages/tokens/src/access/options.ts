/** Options of the access-token runner, read once. */
import {
  type Clock,
  describe,
  readBoolean,
  readFunction,
  readInteger,
  readOneOf,
  readSignal,
  requireOptions,
  type Store,
} from '@brokerwire/core'
import { readShared, storeKey } from '../shared-options.ts'
import { optionInvalid } from '../tokens-error.ts'
import type { TokenApi, TokenKey, TokenObservation } from '../types.ts'
import type { AccessStore } from './store.ts'
import type { AccessTokenGetOptions, TokenNotice } from './types.ts'

/** Options of {@link createAccessTokens}. Read once: changing the object later changes nothing. */
export interface AccessTokensOptions {
  readonly api: TokenApi
  /** Shared by all processes that use this app key: a token store of its own in each asks the person again. */
  readonly store: Store
  readonly key: TokenKey
  /**
   * Whether the service wants a token: `required`, `none` (`get()` gives `undefined`), or `ask` it once.
   * @defaultValue 'required'
   */
  readonly tokenMode?: 'required' | 'none' | 'ask' | undefined
  /**
   * Whether a new token needs a person. Where it does, nothing but the first `get()` without any token, and
   * `renew()`, makes one.
   * @defaultValue `key.environment !== 'sandbox'`
   */
  readonly secondFactor?: boolean | undefined
  readonly clock?: Clock | undefined
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
  /** The longest that a call to the service may take, waits in a limiter included. @defaultValue 60000 */
  readonly callTimeoutMs?: number | undefined
  /**
   * A token that nobody asked for in this time is checked, so that it is not given up for lack of use. Whether a
   * check counts as use is not documented. The timer keeps a process alive until it is disposed.
   * @defaultValue off
   */
  readonly keepAliveMs?: number | undefined
  /** Tells a person: a code is needed, or the token comes to its end. Cannot steer. */
  readonly notify?: ((notice: TokenNotice) => void) | undefined
  /** Told of every call. Cannot steer. */
  readonly observe?: ((observation: TokenObservation) => void) | undefined
}

const HOUR_MS = 3_600_000

/** @throws TokensError `TOKEN_OPTION_INVALID`. */
export function readAccessOptions(given: AccessTokensOptions) {
  const { options, key, ...shared } = readShared(given, ['create', 'check'], {
    api: 1,
    store: 1,
    key: 1,
    tokenMode: 1,
    secondFactor: 1,
    clock: 1,
    pollIntervalMs: 1,
    pollTimeoutMs: 1,
    expiringMs: 1,
    renewBeforeMs: 1,
    rejectionCodes: 1,
    storeLookMs: 1,
    callTimeoutMs: 1,
    keepAliveMs: 1,
    notify: 1,
    observe: 1,
  })
  const modes = ['required', 'none', 'ask'] as const
  const tokenMode = readOneOf(optionInvalid, 'tokenMode', options.tokenMode, modes, 'required')
  if (tokenMode === 'ask' && typeof shared.api.config !== 'function')
    throw optionInvalid('api.config', "a function, because tokenMode is 'ask'", describe(shared.api.config))
  type Duration = Extract<keyof AccessTokensOptions, `${string}Ms`>
  const duration = (name: Duration, fallback: number, min = 1, max = 30 * 24 * HOUR_MS): number =>
    readInteger(optionInvalid, name, options[name], { min, max, fallback })
  const needsPerson = key.environment !== 'sandbox'
  const sandbox = !readBoolean(optionInvalid, 'secondFactor', options.secondFactor, needsPerson)
  const thresholds = readThresholds(options.expiringMs)
  return {
    ...shared,
    storeKey: storeKey('access-token', key),
    tokenMode,
    sandbox,
    pollIntervalMs: duration('pollIntervalMs', 5000),
    pollTimeoutMs: duration('pollTimeoutMs', 300_000),
    /** The longest first; none where no person has to be told. */
    expiringMs: sandbox ? [] : thresholds,
    renewBeforeMs: duration('renewBeforeMs', HOUR_MS, 0),
    rejectionCodes: readCodes(options.rejectionCodes),
    storeLookMs: duration('storeLookMs', 1000),
    keepAliveMs:
      options.keepAliveMs === undefined ? undefined : duration('keepAliveMs', 0, 60_000, 15 * 24 * HOUR_MS),
    notify: readFunction(optionInvalid, 'notify', options.notify, () => {}),
  }
}

/** The options as the runner uses them, with the store as it sees it. */
export type AccessContext = Omit<ReturnType<typeof readAccessOptions>, 'store'> & {
  readonly store: AccessStore
}

/** Thresholds, the longest first. */
function readThresholds(given: readonly number[] | undefined): readonly number[] {
  const values = given ?? [72 * HOUR_MS, 24 * HOUR_MS, HOUR_MS]
  if (!Array.isArray(values)) throw optionInvalid('expiringMs', 'an array of milliseconds', describe(values))
  const bounds = { min: 1, max: 365 * 24 * HOUR_MS, fallback: 0 }
  return values
    .map((value, index) => readInteger(optionInvalid, `expiringMs[${index}]`, value ?? null, bounds))
    .sort((one, other) => other - one)
}

function readCodes(given: readonly string[] | undefined): readonly string[] {
  const codes = given ?? ['INVALID_TOKEN']
  if (!Array.isArray(codes) || codes.some((code) => typeof code !== 'string' || code === ''))
    throw optionInvalid('rejectionCodes', 'an array of non-empty strings', describe(codes))
  return [...codes]
}

/** Options of `get` and `renew`. @throws TokensError `TOKEN_OPTION_INVALID`. */
export function readGetOptions(given: AccessTokenGetOptions) {
  const options = requireOptions(optionInvalid, 'options', given, { wait: 1, signal: 1 })
  const wait = readBoolean(optionInvalid, 'wait', options.wait, true)
  return { wait, signal: readSignal(optionInvalid, options.signal) }
}
