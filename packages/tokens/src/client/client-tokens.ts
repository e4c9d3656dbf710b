/**
 * Client tokens: one customer's calls go one after the other, in all processes that share the store.
 *
 * A refresh ends the old pair the moment the service answers, so its answer is never thrown away: the call is not
 * aborted once it was sent, and a pair that could not be saved is kept and saved at the next `get()`. Refreshing
 * happens when somebody asks, never on timers.
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
import { type StoredText, storedText, storeFailed } from '../store-access.ts'
import { lockKey } from '../store-lock.ts'
import { callEndpoint, callFailed, isOutcomeUnknown } from '../token-call.ts'
import { answerInvalid, optionInvalid, TokensError } from '../tokens-error.ts'
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
  /** Shared by all processes that serve these customers. It holds refresh tokens: keep it as you keep passwords. */
  readonly store: Store
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
 * A new pair although the stored one is good: `refresh` ends the stored pair; `create` ends every earlier token of the
 * customer.
 */
export type ClientTokenRenewal = 'refresh' | 'create'

/** Options of {@link ClientTokens.get}. */
export interface ClientTokenGetOptions {
  readonly signal?: AbortSignalLike | undefined
  /**
   * Asks for a new pair, due or not. A refresh that fails, a refused one too, is an error then, and nothing is created in
   * its place. Where no pair is stored, both create one.
   * @defaultValue a pair is refreshed when it is due, and created as the last resort
   */
  readonly renew?: ClientTokenRenewal | undefined
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
  get(clientUserId: string, options?: ClientTokenGetOptions): Promise<ClientToken>
}

/** What came of a customer's call. */
interface Outcome {
  readonly issued: StoredClientToken
  /** A create made the pair, in place of another. */
  readonly replacedAllSessions?: boolean
  /** A call failed, and may have ended the pair or not: it is the old one. */
  readonly failure?: TokensError<'TOKEN_CALL_FAILED'>
}

/** A customer's lock, and the signal of those who still wait for what is done under it. */
interface Turn {
  readonly lost: AbortSignalLike
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

/** How long disposal waits for a store beside the calls, a refresh and the create that follows it. */
const STORE_LIMIT_MS = 10_000
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
const isRefused = ({ kind, status, code }: TokenCallFailure): boolean =>
  kind === 'rejected' && (status === 417 || (status === 401 && !REQUEST_AT_FAULT.includes(code ?? '')))

/**
 * Client tokens of one app key.
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
  /** Pairs that are not in the store yet, and therefore not used. They count as long as the pair before them is stored. */
  const unsaved = new Map<string, { readonly before: string | undefined; readonly outcome: Outcome }>()
  /** Customers whose sessions a create has ended: the next call that succeeds reports it. */
  const unannounced = new Set<string>()
  let closed: TokensError | undefined

  /** The stored pair at this instant. */
  const read = (base: string | undefined): StoredClientToken | undefined =>
    clientTokenTransition(parseStoredClientToken(base), { type: 'time', nowMs: clock.now() })

  /** Refreshes, and with the same refresh token once more where nothing is known of the first time. */
  const refresh = async ({ refreshToken }: ClientTokenPair, { lost, signal }: Turn) => {
    const send = (callOptions: TokenCallOptions) => endpoints.refresh(refreshToken, callOptions)
    const once = () => callEndpoint(settings, 'client-refresh', send, lost, signal)
    throwIfAborted(lost)
    const first = await once()
    const isUnknown = !first.ok && isOutcomeUnknown(first.failure.kind)
    return { isUnknown, refreshed: isUnknown && !lost.aborted ? await once() : first }
  }

  /** What a call that failed leaves of the pair that it may have ended: that one, to be refreshed soon. @throws The failure. */
  const left = (
    call: TokenCall,
    why: TokenCallFailure,
    held: StoredClientToken | undefined,
    nowMs: number,
  ): Outcome => {
    const error = callFailed(call, why)
    if (held === undefined || nowMs >= held.pair.expiresAtMs) throw error
    return { issued: clientTokenTransition(held, { type: 'refresh-failed', nowMs }) ?? held, failure: error }
  }

  /** A new pair: by a refresh, else by a create. Where the refresh failed, the old one while it lives. */
  const issue = async (
    clientUserId: string,
    held: StoredClientToken | undefined,
    turn: Turn,
  ): Promise<Outcome> => {
    const { renew, lost, signal } = turn
    let after = renew === 'refresh' && held !== undefined ? { ...held, phase: 'due' as const } : held
    if (held !== undefined && after?.phase === 'due' && renew !== 'create') {
      const { refreshed, isUnknown } = await refresh(held.pair, turn)
      const nowMs = clock.now()
      const mayBeOver = renew === undefined || isUnknown ? held : undefined
      if (refreshed.ok)
        after = clientTokenTransition(after, { type: 'refreshed', nowMs, pair: refreshed.value })
      else if (renew === undefined && isRefused(refreshed.failure))
        after = clientTokenTransition(held, { type: 'refresh-rejected', nowMs })
      else return left('client-refresh', refreshed.failure, mayBeOver, nowMs)
    }
    if (after?.phase === 'fresh' && renew !== 'create') return { issued: after }
    // Where the lock is lost already, another process may be at it.
    throwIfAborted(lost)
    const send = (callOptions: TokenCallOptions) => endpoints.create(clientUserId, callOptions)
    const created = await callEndpoint(settings, 'client-create', send, lost, signal)
    const nowMs = clock.now()
    const isDoubt = renew !== undefined && !created.ok && isOutcomeUnknown(created.failure.kind)
    if (!created.ok) return left('client-create', created.failure, isDoubt ? after : undefined, nowMs)
    const issued = clientTokenTransition(after, { type: 'created', nowMs, pair: created.value })
    return { issued, replacedAllSessions: after !== undefined }
  }

  const deliverUnderLock = async (clientUserId: string, record: StoredText, turn: Turn): Promise<Outcome> => {
    let base = await record.get()
    let { renew } = turn
    for (;;) {
      const held = read(base)
      const before = held?.pair.refreshToken.reveal()
      const known = unsaved.get(clientUserId)
      const kept = known?.before === before ? known?.outcome : undefined
      if (kept === undefined) unsaved.delete(clientUserId)
      if (kept === undefined && held?.phase === 'fresh') {
        if (renew === undefined) return { issued: held }
        // What is sent may end the pair: all know it before, whatever becomes of the answer, the store and this process.
        const noted = encodePair({ ...held, failedAtMs: clock.now() })
        if (!(await record.compareAndSet(base, noted)))
          throw storeFailed(
            'compareAndSet',
            new Error(),
            'another process changed the record. Call get() again',
          )
        base = noted
      }
      let outcome = kept
      try {
        outcome ??= await issue(clientUserId, held, { ...turn, renew })
      } catch (error) {
        // The service did not do it, for certain: the pair is as good as before.
        if (held?.phase === 'fresh') await record.compareAndSet(base, encodePair(held)).catch(() => {})
        throw error
      }
      if (outcome.replacedAllSessions) unannounced.add(clientUserId)
      // Where another process was faster, its pair is the new one that was asked for.
      renew = undefined
      if (outcome.failure !== undefined) {
        // Where it cannot be noted, the next call tries again; whoever has the lock now knows better.
        if (!turn.lost.aborted) await record.compareAndSet(base, encodePair(outcome.issued)).catch(() => {})
        if (turn.renew !== undefined) throw outcome.failure
        return outcome
      }
      unsaved.set(clientUserId, { before, outcome })
      const text = encodePair(outcome.issued)
      const isSaved = await record.compareAndSet(base, text)
      // What another process left where it was faster: a pair, which is the newer one, or a note.
      const found = isSaved ? text : await record.get()
      // Nobody else wrote: the store keeps nothing. The pair stays here, because another create would end all sessions again.
      if (!isSaved && (found === base || found === undefined))
        throw storeFailed(
          'compareAndSet',
          new Error(),
          'the write was refused although no other process has written',
        )
      base = found
      if (!isSaved) continue
      unsaved.delete(clientUserId)
      if (outcome.issued.pair.expiresAtMs > clock.now()) return outcome
      // It came in this very call, and is over already: another would be, too.
      if (kept === undefined) throw answerInvalid('expires_at', 'a time in the future', 'a time that is over')
    }
  }

  const deliver = async (clientUserId: string, wish: Omit<Turn, 'lost'>): Promise<Outcome> => {
    const keys = clientTokenKeys(identity, clientUserId)
    const record = storedText(store, keys, clock)
    const held = unsaved.has(clientUserId) ? undefined : read(await record.get())
    if (held?.phase === 'fresh' && wish.renew === undefined) return { issued: held }
    const lock = await lockKey(store, keys.key, clock, wish.signal)
    try {
      throwIfAborted(wish.signal)
      return await deliverUnderLock(clientUserId, record, { ...wish, lost: lock.lost })
    } finally {
      await lock.release()
    }
  }

  return {
    async get(clientUserId, options = {}) {
      if (closed !== undefined) throw closed
      const { signal, renew } = readOptions(optionInvalid, options, GET_OPTIONS)
      const run = (stop: AbortSignalLike) => deliver(clientUserId, { signal: stop, renew })
      // Who asks for a new pair does not share the work of those whom the stored one serves.
      const name = `${renew ?? ''} ${clientUserId}`
      const { issued, replacedAllSessions = false, failure } = await work.run(name, run, signal)
      return {
        accessToken: issued.pair.accessToken,
        expiresAtMs: issued.pair.expiresAtMs,
        replacedAllSessions: unannounced.delete(clientUserId) || replacedAllSessions,
        refreshFailure: failure,
      }
    },
    ...closable(async () => {
      closed = new TokensError(
        'TOKEN_CLOSED',
        'get() was called after close(): create the client tokens anew',
        {
          details: { operation: 'get' },
        },
      )
      await work.stop(closed, clock, 2 * callTimeoutMs + STORE_LIMIT_MS)
    }),
  }
}
