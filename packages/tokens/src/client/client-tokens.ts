/**
 * The runner of client tokens: one customer's calls go one after the other, in all processes that share the store.
 *
 * A refresh ends the old pair the moment the service answers, so its answer is never thrown away: the call is not
 * aborted once it was sent, and a pair that could not be saved is kept and saved at the next `get()`.
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
import { callApi, callFailed } from '../api-call.ts'
import { createFlights } from '../flights.ts'
import { readKey, storeKey } from '../key.ts'
import { type TokenObservation, tellCall } from '../observation.ts'
import { storedText, storeFailed } from '../store-access.ts'
import { lockKey } from '../store-lock.ts'
import { answerInvalid, optionInvalid, TokensError } from '../tokens-error.ts'
import type { ApiCallOptions, ApiResult, ClientTokenApi, ClientTokenPair, TokenKey } from '../types.ts'
import { type ClientTokenEffect, type ClientTokenState, clientTokenTransition } from './machine.ts'
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
   * This call created a pair in place of another: every earlier token of the customer is invalid, on all of his
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

/** Ends a run of the machine. */
type End = Extract<ClientTokenEffect, { readonly type: 'deliver' | 'failed' | 'unusable' }>

type Remembered = Extract<ClientTokenState, { readonly name: 'saving' | 'held' }>

/** How long disposal waits for a store beside the calls, a refresh and the create that follows it. */
const STORE_LIMIT_MS = 10_000
/** So many are remembered; customers who are not seen again must not fill the memory. */
const MAX_REMEMBERED = 10_000

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
  const callTimeoutMs = readInteger(optionInvalid, 'callTimeoutMs', options.callTimeoutMs, {
    min: 1,
    max: 3_600_000,
    fallback: 60_000,
  })
  const observe = readFunction(optionInvalid, 'observe', options.observe, () => {})
  const flights = createFlights()
  /** Pairs that could not be saved, and refreshes that failed a moment ago, with the stored text that they follow. */
  const remembered = new Map<string, { readonly state: Remembered; readonly base: string | undefined }>()
  /** Customers whose sessions a create has ended while nobody waited for its answer any more. */
  const untold = new Set<string>()
  let closed = false

  /** @throws TokensError `TOKEN_STORE_FAILED` where the lock is lost already: another process may be at it. */
  const call = async (
    name: 'client-create' | 'client-refresh',
    lost: AbortSignalLike,
    run: (options: ApiCallOptions) => Promise<ApiResult<ClientTokenPair>>,
  ): Promise<ApiResult<ClientTokenPair>> => {
    throwIfAborted(lost)
    const result = await callApi(clock, callTimeoutMs, run, lost)
    tellCall(observe, name, result)
    return result
  }

  /** The state to begin with: what is stored, or what is remembered as long as nobody else wrote since. */
  const begin = (clientUserId: string, text: string | undefined): ClientTokenState => {
    const known = remembered.get(clientUserId)
    if (known !== undefined && known.base === text) return known.state
    remembered.delete(clientUserId)
    return text === undefined ? { name: 'none' } : { name: 'held', quietUntilMs: 0, ...decodePair(text) }
  }
  const remember = (clientUserId: string, state: ClientTokenState, base: string | undefined): void => {
    remembered.delete(clientUserId)
    if (state.name !== 'saving' && (state.name !== 'held' || state.quietUntilMs === 0)) return
    for (const [oldest, known] of remembered) {
      if (remembered.size < MAX_REMEMBERED) break
      // An unsaved pair is the only way back to the customer's session.
      if (known.state.name === 'held') remembered.delete(oldest)
    }
    remembered.set(clientUserId, { state, base })
  }

  /** Runs the machine under the customer's lock. */
  const run = async (clientUserId: string, signal: AbortSignalLike): Promise<End> => {
    const recordKey = storeKey('client-token', key, clientUserId)
    const record = storedText(store, recordKey)
    const young = deliveredAsIs(begin(clientUserId, await record.get()), clock.now())
    if (young !== undefined) return young

    const lock = await lockKey(store, recordKey, clock, signal)
    try {
      throwIfAborted(signal)
      let base = await record.get()
      let state = begin(clientUserId, base)
      let effects: readonly ClientTokenEffect[]
      ;[state, effects] = clientTokenTransition(state, { type: 'get', nowMs: clock.now() })
      let isIssuedNow = false
      try {
        for (;;) {
          const [effect] = effects
          if (effect === undefined) throw new Error('the client-token machine came to rest without an end')
          switch (effect.type) {
            case 'create': {
              isIssuedNow = true
              const result = await call('client-create', lock.lost, (callOptions) =>
                api.create(clientUserId, { ...callOptions, unsentSignal: signal }),
              )
              const nowMs = clock.now()
              ;[state, effects] = clientTokenTransition(
                state,
                result.ok
                  ? { type: 'created', nowMs, pair: result.value }
                  : { type: 'create-failed', nowMs, failure: result.failure },
              )
              break
            }
            case 'refresh': {
              isIssuedNow = true
              const { refreshToken } = effect.pair
              const result = await call('client-refresh', lock.lost, (callOptions) =>
                api.refresh(refreshToken, { ...callOptions, unsentSignal: signal }),
              )
              const nowMs = clock.now()
              ;[state, effects] = clientTokenTransition(
                state,
                result.ok
                  ? { type: 'refreshed', nowMs, pair: result.value }
                  : { type: 'refresh-failed', nowMs, failure: result.failure },
              )
              break
            }
            case 'save': {
              const text = encodePair(effect)
              if (await record.compareAndSet(base, text)) {
                base = text
                ;[state, effects] = clientTokenTransition(state, { type: 'saved', nowMs: clock.now() })
                break
              }
              const found = await record.get()
              // Nobody wrote, or nobody left a pair: the store does not keep what it is given. What was created is
              // kept here; another create would end the customer's sessions once more.
              if (found === base || found === undefined)
                throw storeFailed('compareAndSet', new Error('it was refused, and nobody else has written'))
              // Whoever wrote took the lock over after us: his pair is the newer one, and ours is dead.
              base = found
              state = { name: 'held', quietUntilMs: 0, ...decodePair(found) }
              ;[state, effects] = clientTokenTransition(state, { type: 'get', nowMs: clock.now() })
              break
            }
            case 'again':
              // It came in this very call, and is over already: another would be, too.
              if (isIssuedNow) return { type: 'unusable' }
              if (effect.replacedAllSessions) untold.add(clientUserId)
              ;[state, effects] = clientTokenTransition(state, { type: 'get', nowMs: clock.now() })
              break
            default:
              if (effect.type === 'deliver' && effect.replacedAllSessions) untold.add(clientUserId)
              return effect
          }
        }
      } finally {
        remember(clientUserId, state, base)
      }
    } finally {
      await lock.release()
    }
  }

  return {
    async get(clientUserId, options = {}) {
      if (closed)
        throw new TokensError('TOKEN_CLOSED', 'get: these client tokens were disposed', {
          details: { operation: 'get' },
        })
      requireUserId(clientUserId)
      requireObject(optionInvalid, 'options', options)
      const signal = readSignal(optionInvalid, options.signal)
      const end = await flights.run(clientUserId, (stop) => run(clientUserId, stop), signal)
      if (end.type === 'failed') throw callFailed(end.call, end.failure)
      if (end.type === 'unusable')
        throw answerInvalid('expires_at', 'a time in the future', 'a time that is over')
      const { pair, failure } = end
      const replacedAllSessions = end.replacedAllSessions || untold.has(clientUserId)
      untold.delete(clientUserId)
      const refreshFailure = failure && callFailed('client-refresh', failure)
      return {
        accessToken: pair.accessToken,
        expiresAtMs: pair.expiresAtMs,
        replacedAllSessions,
        refreshFailure,
      }
    },
    ...closable(async () => {
      closed = true
      await flights.stop(
        new TokensError('TOKEN_CLOSED', 'these client tokens were disposed', {
          details: { operation: 'wait' },
        }),
        clock,
        2 * callTimeoutMs + STORE_LIMIT_MS,
      )
    }),
  }
}

/** The end of a `get` that needs no call: it needs no lock either. */
function deliveredAsIs(state: ClientTokenState, nowMs: number): End | undefined {
  const [, [effect]] = clientTokenTransition(state, { type: 'get', nowMs })
  return effect?.type === 'deliver' ? effect : undefined
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
