/**
 * Client tokens: one customer's calls go one after the other, in all processes that share the store.
 *
 * A refresh ends the old pair the moment the service answers, so its answer is never thrown away: the call is not
 * aborted once it was sent, and a pair that could not be saved is kept and saved at the next `get()`. Refreshing
 * happens when somebody asks, never on timers.
 */
import {
  type AbortSignalLike,
  type Clock,
  type Closable,
  closable,
  describe,
  readFunction,
  readInteger,
  readSignal,
  requireObject,
  requirePort,
  type Secret,
  type Store,
  systemClock,
  throwIfAborted,
} from '@brokerwire/core'
import { callApi, callFailed, isOutcomeUnknown } from '../api-call.ts'
import { readKey, storeKey } from '../key.ts'
import { type TokenObservation, tellCall } from '../observation.ts'
import { createSingleFlight } from '../single-flight.ts'
import { type StoredText, storedText, storeFailed } from '../store-access.ts'
import { lockKey } from '../store-lock.ts'
import { answerInvalid, optionInvalid, TokensError } from '../tokens-error.ts'
import type {
  ApiCallOptions,
  ApiFailure,
  ApiResult,
  ClientTokenApi,
  ClientTokenPair,
  TokenKey,
} from '../types.ts'
import { clientTokenTransition, type IssuedPair } from './machine.ts'
import { decodePair, encodePair } from './record.ts'

/** Options of {@link createClientTokens}. Read once. */
export interface ClientTokensOptions {
  readonly api: ClientTokenApi
  /** Shared by all processes that serve these customers. It holds refresh tokens: keep it as you keep passwords. */
  readonly store: Store
  readonly key: TokenKey
  readonly clock?: Clock | undefined
  /** The longest that a call to the service may take, waits in a limiter included. @defaultValue 60000 */
  readonly callTimeoutMs?: number | undefined
  /** Told of every call. Cannot steer. */
  readonly observe?: ((observation: TokenObservation) => void) | undefined
}

/** What may be handed to a customer's app. The refresh token is not part of it. */
export interface ClientToken {
  readonly accessToken: Secret
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number
  /**
   * This call created a pair in place of another: every earlier token of the customer is invalid, on each of their
   * devices.
   */
  readonly replacedAllSessions: boolean
  /** A refresh was due and failed; the token is handed out because its time is not over. */
  readonly refreshFailure: TokensError<'TOKEN_CALL_FAILED'> | undefined
}

/**
 * Client tokens of one app key. Made by {@link createClientTokens}. Closing waits for calls that were already sent, so
 * that their pairs are saved.
 */
export interface ClientTokens extends Closable {
  /**
   * The customer's access token, refreshed where 80 % of its lifetime are over.
   *
   * @param clientUserId - The customer's unique identifier in the caller's system.
   * @throws TokensError, see the table of codes. The signal's reason, when it aborts; a call that was already sent
   * goes on, and its pair is saved.
   */
  get(clientUserId: string, options?: { readonly signal?: AbortSignalLike | undefined }): Promise<ClientToken>
}

/** A pair that is not in the store yet, and therefore not used. */
interface Unsaved {
  readonly issued: IssuedPair
  readonly replacedAllSessions: boolean
}

/** What a process knows of a customer beside what is stored, as long as the stored text is still `base`. */
interface Remembered {
  readonly base: string | undefined
  readonly unsaved?: Unsaved | undefined
  /** When a refresh failed a moment ago. */
  readonly failedAtMs?: number | undefined
}

/** A pair that is handed out. */
interface Delivered {
  readonly pair: ClientTokenPair
  readonly replacedAllSessions?: boolean
  readonly failure?: ApiFailure
}

/** A customer's lock, and who still waits for what is done under it. */
interface Turn {
  readonly lost: AbortSignalLike
  readonly signal: AbortSignalLike
}

/** How long disposal waits for a store beside the calls, a refresh and the create that follows it. */
const STORE_LIMIT_MS = 10_000
/** So many are remembered; customers who are not seen again must not fill the memory. */
const MAX_REMEMBERED = 10_000
/** After a failed refresh, as long as the old access token lives: one try in this time. */
const QUIET_MS = 30_000

/**
 * 401 codes that blame the request or the app key. The refresh token was not looked at, so nothing is known about
 * it, and a create would log the customer out for nothing.
 */
const REQUEST_AT_FAULT: readonly string[] = [
  'MISSING_APP_KEY',
  'MISSING_SIGNATURE',
  'MISSING_ALGORITHM',
  'MISSING_NONCE',
  'MISSING_TIMESTAMP',
  'ILLEGAL_TIMESTAMP',
  'VERSION_NOT_SUPPORTED',
  'SIGNATURE_ALGORITHM_NOT_SUPPORTED',
  'ROUTE_NOT_PERMITTED',
]
const isRefused = ({ kind, status, code }: ApiFailure): boolean =>
  kind === 'refused' &&
  (status === 417 || (status === 401 && !(code !== undefined && REQUEST_AT_FAULT.includes(code))))

/**
 * Client tokens of one app key.
 *
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 */
export function createClientTokens(options: ClientTokensOptions): ClientTokens {
  requireObject(optionInvalid, 'options', options)
  const { api, store, clock = systemClock } = options
  requirePort(optionInvalid, 'clock', clock, ['now', 'setTimer'])
  requirePort(optionInvalid, 'api', api, ['create', 'refresh'])
  requirePort(optionInvalid, 'store', store, ['get', 'compareAndSet'])
  const key = readKey(options.key)
  const bounds = { min: 1, max: 3_600_000, fallback: 60_000 }
  const callTimeoutMs = readInteger(optionInvalid, 'callTimeoutMs', options.callTimeoutMs, bounds)
  const observe = readFunction(optionInvalid, 'observe', options.observe, () => {})
  const work = createSingleFlight()
  const remembered = new Map<string, Remembered>()
  /** Customers whose sessions a create has ended while nobody waited for its answer any more. */
  const untold = new Set<string>()
  let closed: TokensError | undefined

  const remember = (clientUserId: string, news: Remembered): void => {
    remembered.delete(clientUserId)
    for (const [oldest, { unsaved }] of remembered) {
      if (remembered.size < MAX_REMEMBERED) break
      // An unsaved pair is the only way back to the customer's session.
      if (unsaved === undefined) remembered.delete(oldest)
    }
    remembered.set(clientUserId, news)
  }
  const recall = (clientUserId: string, base: string | undefined): Remembered => {
    const known = remembered.get(clientUserId)
    if (known !== undefined && known.base === base) return known
    remembered.delete(clientUserId)
    return { base }
  }

  /** The stored pair at this instant, and whether it is handed out without a call. */
  const read = ({ base, unsaved, failedAtMs = Number.NaN }: Remembered) => {
    const nowMs = clock.now()
    const stored = base === undefined ? undefined : decodePair(base)
    const held = clientTokenTransition(stored, { type: 'time', nowMs })
    const sinceMs = nowMs - failedAtMs
    const isQuiet = held?.phase === 'due' && sinceMs >= 0 && sinceMs < QUIET_MS
    const isUsed = held?.phase === 'fresh' || (isQuiet && nowMs < held.pair.expiresAtMs)
    return { held, usable: unsaved === undefined && isUsed ? held.pair : undefined }
  }

  /** @throws TokensError `TOKEN_STORE_FAILED` where the lock is lost already: another process may be at it. */
  const call = async (
    name: 'client-create' | 'client-refresh',
    { lost, signal }: Turn,
    send: (callOptions: ApiCallOptions) => Promise<ApiResult<ClientTokenPair>>,
  ): Promise<ApiResult<ClientTokenPair>> => {
    throwIfAborted(lost)
    const unlessUnsent = (callOptions: ApiCallOptions) => send({ ...callOptions, unsentSignal: signal })
    const result = await callApi(clock, callTimeoutMs, unlessUnsent, lost)
    tellCall(observe, name, result)
    return result
  }

  /** Refreshes, and with the same refresh token once more where nothing is known of the first time. */
  const refresh = async (
    { refreshToken }: ClientTokenPair,
    turn: Turn,
  ): Promise<ApiResult<ClientTokenPair>> => {
    const once = () => call('client-refresh', turn, (callOptions) => api.refresh(refreshToken, callOptions))
    const first = await once()
    return first.ok || !isOutcomeUnknown(first.failure.kind) || turn.lost.aborted ? first : once()
  }

  /** A new pair: by a refresh, else by a create. Where the refresh failed, the old one while it lives. */
  const issue = async (
    clientUserId: string,
    held: IssuedPair | undefined,
    turn: Turn,
  ): Promise<Unsaved | Delivered> => {
    let after = held
    if (held?.phase === 'due') {
      const refreshed = await refresh(held.pair, turn)
      const nowMs = clock.now()
      if (refreshed.ok)
        after = clientTokenTransition(held, { type: 'refreshed', nowMs, pair: refreshed.value })
      else if (isRefused(refreshed.failure)) after = clientTokenTransition(held, { type: 'refused', nowMs })
      else if (nowMs < held.pair.expiresAtMs) return { pair: held.pair, failure: refreshed.failure }
      else throw callFailed('client-refresh', refreshed.failure)
    }
    if (after?.phase === 'fresh') return { issued: after, replacedAllSessions: false }
    const created = await call('client-create', turn, (callOptions) => api.create(clientUserId, callOptions))
    if (!created.ok) throw callFailed('client-create', created.failure)
    const issued = clientTokenTransition(after, { type: 'created', nowMs: clock.now(), pair: created.value })
    return { issued, replacedAllSessions: after !== undefined }
  }

  /** @returns The text that is stored now: another process's pair where it was faster, which is the newer one. */
  const save = async (
    clientUserId: string,
    record: StoredText,
    base: string | undefined,
    unsaved: Unsaved,
  ) => {
    remember(clientUserId, { base, unsaved })
    const text = encodePair(unsaved.issued)
    const isSaved = await record.compareAndSet(base, text)
    const found = isSaved ? text : await record.get()
    // Nobody wrote, or nobody left a pair: the store does not keep what it is given. What was created is kept here;
    // another create would end the customer's sessions once more.
    if (!isSaved && (found === base || found === undefined))
      throw storeFailed('compareAndSet', new Error('it was refused, and nobody else has written'))
    remembered.delete(clientUserId)
    if (isSaved && unsaved.replacedAllSessions) untold.add(clientUserId)
    return { found, isSaved }
  }

  const deliverUnderLock = async (
    clientUserId: string,
    record: StoredText,
    turn: Turn,
  ): Promise<Delivered> => {
    let text = await record.get()
    let isIssuedNow = false
    for (;;) {
      const known = recall(clientUserId, text)
      let { unsaved } = known
      if (unsaved === undefined) {
        const { held, usable } = read(known)
        if (usable !== undefined) return { pair: usable }
        const issued = await issue(clientUserId, held, turn)
        if ('pair' in issued) {
          remember(clientUserId, { base: text, failedAtMs: clock.now() })
          return issued
        }
        unsaved = issued
        isIssuedNow = true
      }
      const { found, isSaved } = await save(clientUserId, record, text, unsaved)
      text = found
      const { issued, replacedAllSessions } = unsaved
      if (isSaved && issued.pair.expiresAtMs > clock.now()) return { pair: issued.pair, replacedAllSessions }
      // It came in this very call, and is over already: another would be, too.
      if (isSaved && isIssuedNow)
        throw answerInvalid('expires_at', 'a time in the future', 'a time that is over')
    }
  }

  const deliver = async (clientUserId: string, signal: AbortSignalLike): Promise<Delivered> => {
    const recordKey = storeKey('client-token', key, clientUserId)
    const record = storedText(store, recordKey)
    const { usable } = read(recall(clientUserId, await record.get()))
    if (usable !== undefined) return { pair: usable }
    const lock = await lockKey(store, recordKey, clock, signal)
    try {
      throwIfAborted(signal)
      return await deliverUnderLock(clientUserId, record, { lost: lock.lost, signal })
    } finally {
      await lock.release()
    }
  }

  return {
    async get(clientUserId, options = {}) {
      if (closed !== undefined) throw closed
      requireUserId(clientUserId)
      requireObject(optionInvalid, 'options', options)
      const signal = readSignal(optionInvalid, options.signal)
      const run = (stop: AbortSignalLike): Promise<Delivered> => deliver(clientUserId, stop)
      const { pair, replacedAllSessions = false, failure } = await work.run(clientUserId, run, signal)
      return {
        accessToken: pair.accessToken,
        expiresAtMs: pair.expiresAtMs,
        replacedAllSessions: untold.delete(clientUserId) || replacedAllSessions,
        refreshFailure: failure && callFailed('client-refresh', failure),
      }
    },
    ...closable(async () => {
      closed = new TokensError('TOKEN_CLOSED', 'these client tokens were disposed', {
        details: { operation: 'get' },
      })
      await work.stop(closed, clock, 2 * callTimeoutMs + STORE_LIMIT_MS)
    }),
  }
}

function requireUserId(value: unknown): void {
  const expected = 'a well-formed text of 1 to 1024 characters'
  if (typeof value !== 'string' || value === '' || value.length > 1024)
    throw optionInvalid('clientUserId', expected, describe(value))
  try {
    encodeURIComponent(value)
  } catch {
    throw optionInvalid('clientUserId', expected, 'a text with half a character')
  }
}
