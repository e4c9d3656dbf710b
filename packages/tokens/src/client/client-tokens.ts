/**
 * Client tokens: the calls of one customer run one after the other, in all processes that share the store.
 *
 * A refresh ends the old pair as soon as the service responds, so the new pair in the response is never discarded:
 * a call is not aborted after it was sent, and a pair that could not be saved is saved at the next `get()`.
 * Refreshes happen only in `get()`, not on timers.
 */
import type { AbortSignalLike, Closable, Secret, Store } from '@brokerwire/core'
import {
  closable,
  type FieldsOf,
  oneOf,
  optional,
  readOptions,
  signal,
  throwIfAborted,
} from '@brokerwire/core/internal'
import { clientTokenKeys, requireSameOrigin, sharedOptions, type TokensOptions } from '../shared-options.ts'
import { createSingleFlight } from '../single-flight.ts'
import { createStringRecord, type StringRecord, storeFailed } from '../store-access.ts'
import { acquireLock } from '../store-lock.ts'
import { callEndpoint, callFailed, isOutcomeUnknown } from '../token-call.ts'
import { optionInvalid, responseInvalid, TokensError } from '../tokens-error.ts'
import type {
  ClientTokenEndpoints,
  ClientTokenPair,
  TokenCall,
  TokenCallFailure,
  TokenCallOptions,
} from '../types.ts'
import {
  clientTokenTransition,
  encodePair,
  parseStoredClientToken,
  type StoredClientToken,
} from './machine.ts'

/** Options of {@link createClientTokens}. Read once. */
export interface ClientTokensOptions extends TokensOptions<ClientTokenEndpoints> {
  /**
   * The store that all processes of these customers share. It contains refresh tokens, so protect it like
   * passwords.
   */
  readonly store: Store
}

/** An access token that may be given to a customer's app. It does not contain the refresh token. */
export interface ClientToken {
  /** The access token of the customer. */
  readonly accessToken: Secret
  /** Expiry of the access token, milliseconds since the epoch. */
  readonly expiresAtMs: number
  /**
   * Whether a create has replaced another pair since the last call that reported this. If it has, every
   * earlier token of the customer is invalid, on all devices.
   */
  readonly replacedAllSessions: boolean
  /**
   * The failure of a refresh that was due; `undefined` if none failed. After a failure, the old token is
   * returned, which has not expired yet.
   */
  readonly refreshFailure: TokensError<'TOKEN_CALL_FAILED'> | undefined
}

/**
 * How a new pair is requested although the stored one is usable: `refresh` ends the stored pair; `create` ends
 * every earlier token of the customer.
 */
export type ClientTokenRenewal = 'refresh' | 'create'

/** Options of {@link ClientTokens.get}. */
export interface ClientTokenGetOptions {
  /** Ends the wait of this caller; other callers continue. */
  readonly signal?: AbortSignalLike | undefined
  /**
   * Requests a new pair, even if the stored one is not due for a refresh. If a requested refresh fails or is
   * rejected, `get()` fails and does not create a pair. If no pair is stored, both values create one.
   *
   * Before the request is sent, the store records that it may end the stored pair. If that cannot be written, nothing is sent.
   * Unless the service certainly rejected the request, the stored pair is returned for 30 more seconds. The next `get()` after
   * that refreshes it, in every process.
   * @defaultValue none: a pair is refreshed when it is due, and created only if there is none that can be
   * refreshed
   */
  readonly renew?: ClientTokenRenewal | undefined
}

/**
 * Client tokens of one app key. Created by {@link createClientTokens}. `close()` waits for calls that were already
 * sent, so that their pairs are saved.
 */
export interface ClientTokens extends Closable {
  /**
   * Returns the customer's access token. The first call after 80 % of the token's lifetime refreshes it.
   *
   * @param clientUserId - The customer's unique identifier in your system.
   * @throws TokensError; the signal's reason if it aborts. A call that was already
   * sent continues, and its pair is saved.
   */
  get(clientUserId: string, options?: ClientTokenGetOptions): Promise<ClientToken>
}

/** The result of a call for one customer. */
interface Renewed {
  readonly issued: StoredClientToken
  /** Whether a create replaced another pair; `undefined` if no create was sent. */
  readonly replacedAllSessions?: boolean
  /** The failure of a call that may have ended the pair; `issued` is then the old pair. */
  readonly failure?: TokensError<'TOKEN_CALL_FAILED'>
}

/** The settings of a call for one customer that has the customer's lock. */
interface LockedCall {
  /** Aborts when the lock of the customer is lost. */
  readonly lost: AbortSignalLike
  /** Aborts when no caller waits any more. */
  readonly signal: AbortSignalLike
  readonly renew: ClientTokenRenewal | undefined
}

const OPTIONS = sharedOptions<ClientTokenEndpoints>([
  'create',
  'refresh',
]) satisfies FieldsOf<ClientTokensOptions>
const GET_OPTIONS = {
  signal,
  renew: optional(oneOf(['refresh', 'create'])),
} satisfies FieldsOf<ClientTokenGetOptions>

/** How long `close()` waits for the store, in addition to a refresh and the create after it. */
const CLOSE_STORE_WAIT_MS = 10_000
/**
 * Codes of 401 responses that concern the request or the app key. They are no evidence about the refresh token, so no
 * create follows: it would end the customer's sessions without need.
 */
const REQUEST_ERROR_CODES: readonly string[] = [
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
const isRefreshRejected = ({ kind, status, code }: TokenCallFailure): boolean =>
  kind === 'rejected' && (status === 417 || (status === 401 && !REQUEST_ERROR_CODES.includes(code ?? '')))

/**
 * Creates the client tokens of one app key.
 *
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createServiceIdentity, resolveEndpoint } from '@brokerwire/core/endpoints'
 * import { type ClientTokenEndpoints, createClientTokens } from '@brokerwire/tokens'
 * import type { Store } from '@brokerwire/core'
 *
 * declare const endpoints: ClientTokenEndpoints
 * declare const store: Store
 * declare const appKey: string
 *
 * const endpoint = resolveEndpoint({ environment: 'production', region: 'us' })
 * const identity = createServiceIdentity(endpoint, appKey)
 * const tokens = createClientTokens({ endpoints, store, identity })
 * const { expiresAtMs, replacedAllSessions } = await tokens.get('customer-1')
 * console.log(expiresAtMs, replacedAllSessions)
 * ```
 */
export function createClientTokens(options: ClientTokensOptions): ClientTokens {
  const settings = readOptions(optionInvalid, options, OPTIONS)
  const { endpoints, store, identity, clock, callTimeoutMs } = settings
  requireSameOrigin(options.endpoints, identity)
  const work = createSingleFlight()
  /**
   * New pairs by customer that are not saved yet, and therefore not used. A new pair counts only while the pair that
   * it replaces is still stored. `replacedRefreshToken` identifies the replaced pair.
   */
  const unsaved = new Map<
    string,
    { readonly replacedRefreshToken: string | undefined; readonly renewed: Renewed }
  >()
  /** Customers whose sessions a create has ended. The next successful call reports that. */
  const unreported = new Set<string>()
  let closedError: TokensError | undefined

  /** Parses the stored pair, and calculates its phase at this instant. */
  const parse = (stored: string | undefined): StoredClientToken | undefined =>
    clientTokenTransition(parseStoredClientToken(stored), { type: 'time', nowMs: clock.now() })

  /** Refreshes, and tries once more with the same refresh token if the outcome is unknown. */
  const refresh = async ({ refreshToken }: ClientTokenPair, { lost, signal }: LockedCall) => {
    const send = (callOptions: TokenCallOptions) => endpoints.refresh(refreshToken, callOptions)
    const once = () => callEndpoint(settings, 'client-refresh', send, { signal: lost, unsentSignal: signal })
    throwIfAborted(lost)
    const first = await once()
    const isUnknown = !first.ok && isOutcomeUnknown(first.failure.kind)
    return { isUnknown, refreshed: isUnknown && !lost.aborted ? await once() : first }
  }

  /**
   * Returns the result of a call that failed: the old pair with the failure.
   *
   * @param fallback - The old pair, if the time of the failure must be recorded with it, so that it is
   * refreshed soon.
   * @throws The failure, if `fallback` is `undefined` or has expired.
   */
  const fallBack = (
    call: TokenCall,
    failure: TokenCallFailure,
    fallback: StoredClientToken | undefined,
    nowMs: number,
  ): Renewed => {
    const error = callFailed(call, failure)
    if (fallback === undefined || nowMs >= fallback.pair.expiresAtMs) throw error
    const issued = clientTokenTransition(fallback, { type: 'refresh-failed', nowMs }) ?? fallback
    return { issued, failure: error }
  }

  /**
   * Gets a new pair by a refresh, or by a create if no refresh is possible. If the refresh fails, returns the
   * old pair until it expires.
   */
  const renewPair = async (
    clientUserId: string,
    stored: StoredClientToken | undefined,
    call: LockedCall,
  ): Promise<Renewed> => {
    const { renew, lost, signal } = call
    let after = renew === 'refresh' && stored !== undefined ? { ...stored, phase: 'due' as const } : stored
    if (stored !== undefined && after?.phase === 'due' && renew !== 'create') {
      const { refreshed, isUnknown } = await refresh(stored.pair, call)
      const nowMs = clock.now()
      if (refreshed.ok)
        after = clientTokenTransition(after, { type: 'refreshed', nowMs, pair: refreshed.value })
      else if (renew === undefined && isRefreshRejected(refreshed.failure))
        after = clientTokenTransition(stored, { type: 'refresh-rejected', nowMs })
      else {
        const fallback = renew === undefined || isUnknown ? stored : undefined
        return fallBack('client-refresh', refreshed.failure, fallback, nowMs)
      }
    }
    if (after?.phase === 'fresh' && renew !== 'create') return { issued: after }
    // If the lock is lost, no create is sent, because another process may be creating a pair.
    throwIfAborted(lost)
    const send = (callOptions: TokenCallOptions) => endpoints.create(clientUserId, callOptions)
    const callOptions = { signal: lost, unsentSignal: signal }
    const created = await callEndpoint(settings, 'client-create', send, callOptions)
    const nowMs = clock.now()
    if (!created.ok) {
      const mayHaveEnded = renew !== undefined && isOutcomeUnknown(created.failure.kind)
      return fallBack('client-create', created.failure, mayHaveEnded ? after : undefined, nowMs)
    }
    const issued = clientTokenTransition(after, { type: 'created', nowMs, pair: created.value })
    return { issued, replacedAllSessions: after !== undefined }
  }

  const getPairUnderLock = async (
    clientUserId: string,
    record: StringRecord,
    call: LockedCall,
  ): Promise<Renewed> => {
    let storedText = await record.get()
    let { renew } = call
    for (;;) {
      const stored = parse(storedText)
      const replacedRefreshToken = stored?.pair.refreshToken.reveal()
      const entry = unsaved.get(clientUserId)
      const unsavedPair = entry?.replacedRefreshToken === replacedRefreshToken ? entry?.renewed : undefined
      if (unsavedPair === undefined) unsaved.delete(clientUserId)
      // If the unsaved pair is from a refresh, it is saved first, and then the requested create is sent. Only a
      // create ends the sessions of the customer.
      const needsCreate =
        renew === 'create' && unsavedPair !== undefined && unsavedPair.replacedAllSessions === undefined
      if (unsavedPair === undefined && stored?.phase === 'fresh') {
        if (renew === undefined) return { issued: stored }
        // The request may end the stored pair. The record gets a mark first, so that all processes refresh the
        // pair soon if the response is lost.
        const markedText = encodePair({ ...stored, failedAtMs: clock.now() })
        if (!(await record.compareAndSet(storedText, markedText)))
          throw storeFailed(
            'compareAndSet',
            new Error(),
            'another process changed the record. Call get() again',
          )
        storedText = markedText
      }
      let renewed = unsavedPair
      try {
        renewed ??= await renewPair(clientUserId, stored, { ...call, renew })
      } catch (error) {
        // After an exception, the request certainly had no effect. The stored pair is still usable, so the
        // mark is removed.
        if (stored?.phase === 'fresh')
          await record.compareAndSet(storedText, encodePair(stored)).catch(() => {})
        throw error
      }
      if (renewed.replacedAllSessions) unreported.add(clientUserId)
      // No further pair is requested after this one. If another process wrote first, its pair is the
      // requested new one.
      if (!needsCreate) renew = undefined
      if (renewed.failure !== undefined) {
        // If the failure cannot be recorded, the next call refreshes again. If the lock was lost, the failure
        // is not recorded, because another process has newer knowledge.
        if (!call.lost.aborted)
          await record.compareAndSet(storedText, encodePair(renewed.issued)).catch(() => {})
        if (call.renew !== undefined) throw renewed.failure
        return renewed
      }
      unsaved.set(clientUserId, { replacedRefreshToken, renewed })
      const renewedText = encodePair(renewed.issued)
      const isSaved = await record.compareAndSet(storedText, renewedText)
      // If the write was rejected, another process has written first, either a newer pair or the time of a
      // failure.
      const latestText = isSaved ? renewedText : await record.get()
      // If no other process has written, the store lost the write. The pair stays in `unsaved`, because another
      // create would end all sessions again.
      if (!isSaved && (latestText === storedText || latestText === undefined))
        throw storeFailed(
          'compareAndSet',
          new Error(),
          'the store rejected the write although no other process has written',
        )
      storedText = latestText
      if (!isSaved) continue
      unsaved.delete(clientUserId)
      if (needsCreate) continue
      if (renewed.issued.pair.expiresAtMs > clock.now()) return renewed
      // The new pair has already expired. No further pair is requested, because it would have expired too.
      if (unsavedPair === undefined)
        throw responseInvalid('expires_at', 'a time in the future', 'a time in the past')
    }
  }

  const getPair = async (clientUserId: string, call: Omit<LockedCall, 'lost'>): Promise<Renewed> => {
    const keys = clientTokenKeys(identity, clientUserId)
    const record = createStringRecord(store, keys, clock)
    const stored = unsaved.has(clientUserId) ? undefined : parse(await record.get())
    if (stored?.phase === 'fresh' && call.renew === undefined) return { issued: stored }
    const lock = await acquireLock(store, keys.key, clock, call.signal)
    try {
      throwIfAborted(call.signal)
      return await getPairUnderLock(clientUserId, record, { ...call, lost: lock.lost })
    } finally {
      await lock.release()
    }
  }

  return {
    async get(clientUserId, options = {}) {
      if (closedError !== undefined) throw closedError
      const { signal, renew } = readOptions(optionInvalid, options, GET_OPTIONS)
      const run = (stop: AbortSignalLike) => getPair(clientUserId, { signal: stop, renew })
      // A request for a new pair does not share the work of callers that accept the stored one.
      const workName = `${renew ?? ''} ${clientUserId}`
      const { issued, replacedAllSessions = false, failure } = await work.run(workName, run, signal)
      return {
        accessToken: issued.pair.accessToken,
        expiresAtMs: issued.pair.expiresAtMs,
        replacedAllSessions: unreported.delete(clientUserId) || replacedAllSessions,
        refreshFailure: failure,
      }
    },
    ...closable(async () => {
      closedError = new TokensError(
        'TOKEN_CLOSED',
        'get() was aborted by close() or called after it. Create the client tokens again',
        {
          details: { operation: 'get' },
        },
      )
      await work.stop(closedError, clock, 2 * callTimeoutMs + CLOSE_STORE_WAIT_MS)
    }),
  }
}
