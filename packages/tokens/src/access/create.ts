/**
 * Create requests. Each one is recorded in the store and then sent. Its result is saved by compare-and-set, only if
 * the record still contains this create. So a process that was suspended cannot undo the work of another.
 *
 * Because the record is written before the request is sent, a store that cannot be written causes an error before a
 * person receives a code for a token that could not be saved.
 */
import type { AbortSignalLike } from '@brokerwire/core'
import { createReporter, sleep, throwIfAborted } from '@brokerwire/core/internal'
import { callEndpoint, callFailed } from '../token-call.ts'
import { isTokensError, responseInvalid, type TokensError } from '../tokens-error.ts'
import type { TokenCallOptions } from '../types.ts'
import { createTooSoon } from './create-budget.ts'
import { FailedCreates } from './failed-creates.ts'
import { lifecycleStates } from './lifecycle.ts'
import { type AccessTokenEvent, createdStatus, isExpired } from './machine.ts'
import { type StoredAccessToken, sameToken } from './record.ts'
import type { AccessContext } from './store.ts'

/**
 * Pauses between attempts to save a new token, half a minute in total. The lock is kept during the pauses,
 * because another process would otherwise send another create.
 */
const SAVE_PAUSES_MS = [500, 1000, 2000, 4000, 8000, 15_000]
/**
 * Wait after a create whose outcome is not recorded, if no second factor is needed. The process that sent the create may have
 * been killed, and the service may still process the request.
 */
const INTERRUPTED_CREATE_WAIT_MS = 2000

/** The event that contains the outcome of a create. */
type CreateResult = Extract<AccessTokenEvent, { readonly type: 'created' | 'create-failed' }>

/** The error for a created token that is INVALID or expired; `undefined` for other outcomes. */
function unusableTokenError(outcome: CreateResult): TokensError<'TOKEN_RESPONSE_INVALID'> | undefined {
  const status = outcome.type === 'created' ? createdStatus(outcome) : undefined
  if (status === 'INVALID') return responseInvalid('status', 'PENDING or NORMAL', 'INVALID')
  if (status === 'EXPIRED')
    return responseInvalid('expires_at', 'a time in the future', 'a token that has expired')
  return undefined
}

/** The result of {@link createTokenCreator}. */
export type TokenCreator = ReturnType<typeof createTokenCreator>

/** Creates the object that sends create requests and saves their tokens. */
export function createTokenCreator(context: AccessContext) {
  const { endpoints, clock, onSecondFactor, createsWithoutPerson, store, clientId, observer } = context
  const report = createReporter(observer, { clientId })
  const failedCreates = new FailedCreates()
  let unsaved: CreateResult | undefined

  /** Calls `onSecondFactor` if the created token is pending, unless the verification window has ended. */
  const notifySecondFactor = (record: StoredAccessToken, outcome: CreateResult): void => {
    if (outcome.type !== 'created' || !sameToken(record.pending?.token, outcome.response.token)) return
    for (const item of lifecycleStates(record, clock.now()))
      if (item.type === 'pending' && item.remainingMs > 0) {
        const { deadlineMs, renewal } = item
        report('onTokenSecondFactor', { deadlineMs, renewal })
        onSecondFactor(item)
      }
  }
  /**
   * Saves the outcome of a create, in several attempts if the store fails.
   *
   * @returns Whether the outcome is in the store and no other create has replaced it.
   */
  const save = async (outcome: CreateResult): Promise<boolean> => {
    unsaved = outcome
    let isApplied = false
    for (let attempt = 0; ; attempt += 1) {
      try {
        isApplied = (await store.apply(outcome)) !== undefined || isApplied
        // A write whose response was lost may have taken effect, and another process may have written later.
        // So the record is read.
        const record = await store.load()
        unsaved = undefined
        notifySecondFactor(record, outcome)
        const lastAtMs = record.lastCreate?.atMs ?? (outcome.type === 'created' ? undefined : outcome.atMs)
        return isApplied || lastAtMs === outcome.atMs
      } catch (error) {
        const pauseMs = SAVE_PAUSES_MS[attempt]
        if (pauseMs === undefined || !isTokensError(error, 'TOKEN_STORE_FAILED')) throw error
        await sleep(clock, pauseMs)
      }
    }
  }

  /**
   * Waits if the last create was interrupted a moment ago. Without a second factor, another create may follow
   * it, but not at once.
   */
  const waitForInterruptedCreate = async (signal: AbortSignalLike): Promise<void> => {
    const { lastCreate } = await store.load()
    const sinceMs =
      lastCreate?.outcome === 'started' ? clock.now() - lastCreate.atMs : INTERRUPTED_CREATE_WAIT_MS
    if (sinceMs >= 0 && sinceMs < INTERRUPTED_CREATE_WAIT_MS)
      await sleep(clock, INTERRUPTED_CREATE_WAIT_MS - sinceMs, signal)
  }

  /**
   * @returns Whether a create was sent; `false` if it is no longer needed.
   * @throws TokensError `TOKEN_CREATE_TOO_SOON` if a new token needs a second factor and the last create may have
   * sent a code.
   */
  const createUnderLock = async (
    shouldCreate: (record: StoredAccessToken) => boolean,
    signal: AbortSignalLike,
    lost: AbortSignalLike,
  ): Promise<boolean> => {
    if (createsWithoutPerson) await waitForInterruptedCreate(signal)
    throwIfAborted(signal)
    throwIfAborted(lost)

    const atMs = clock.now()
    // The limit is checked inside the compare-and-set, so that two processes cannot both send a create, even
    // if the lock was lost.
    const before = await store.apply({ type: 'create', atMs }, (record) => {
      if (!shouldCreate(record)) return false
      const error = createsWithoutPerson ? undefined : createTooSoon(record, atMs)
      if (error !== undefined) throw error
      return true
    })
    if (before === undefined) return false
    const { current } = before
    const previousToken = current === undefined || isExpired(current, atMs) ? undefined : current.token
    const send = (options: TokenCallOptions) => endpoints.create({ previousToken }, options)
    const result = await callEndpoint(context, 'create', send, { signal: lost, unsentSignal: signal })
    const outcome: CreateResult = result.ok
      ? { type: 'created', atMs, nowMs: clock.now(), response: result.value }
      : { type: 'create-failed', atMs, kind: result.failure.kind }
    const error = result.ok ? unusableTokenError(outcome) : callFailed('create', result.failure)
    if (error === undefined) failedCreates.succeeded()
    else failedCreates.failed(error, clock.now())
    if ((await save(outcome)) && error !== undefined) throw error
    return true
  }

  return {
    /**
     * Whether the outcome of a create, such as a new token, is not saved yet. The next call of `create` saves
     * it first.
     */
    hasUnsaved: (): boolean => unsaved !== undefined,
    /**
     * The error for an automatic create that follows failed creates too soon; `undefined` if a create is
     * allowed.
     */
    tooSoon: () => failedCreates.tooSoon(clock.now()),
    /**
     * Sends one create request if `shouldCreate` still returns `true` under the lock. After the request was
     * sent, only the loss of the lock aborts it.
     *
     * @returns Whether a create was sent, or the token of an earlier create was saved now.
     * @throws TokensError `TOKEN_CALL_FAILED`, `TOKEN_CREATE_TOO_SOON`, `TOKEN_RESPONSE_INVALID`,
     * `TOKEN_STORE_FAILED`.
     */
    async create(
      shouldCreate: (record: StoredAccessToken) => boolean,
      signal: AbortSignalLike,
    ): Promise<boolean> {
      const lock = await store.acquireLockUnlessChanged(
        (record) => unsaved === undefined && !shouldCreate(record),
        signal,
      )
      if (lock === undefined) return false
      try {
        const unsavedOutcome = unsaved
        if (unsavedOutcome === undefined) return await createUnderLock(shouldCreate, signal, lock.lost)
        return (await save(unsavedOutcome)) && unsavedOutcome.type === 'created'
      } finally {
        await lock.release()
      }
    },
  }
}
