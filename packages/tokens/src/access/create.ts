/**
 * The create: announced in the store, sent, and saved by compare-and-set on that very create, so that a process which
 * was stopped for a while cannot undo what another has done.
 *
 * It is announced before it is sent: a store that cannot be written is found out before a person is asked for a second
 * factor whose token could not be kept.
 */
import type { AbortSignalLike } from '@brokerwire/core'
import { sleep, throwIfAborted } from '@brokerwire/core/internal'
import { callEndpoint, callFailed } from '../token-call.ts'
import { answerInvalid, isTokensError, type TokensError } from '../tokens-error.ts'
import type { TokenCallOptions } from '../types.ts'
import { createTooSoon } from './create-budget.ts'
import { FailedCreates } from './failed-creates.ts'
import { lifecycleOf } from './lifecycle.ts'
import { type AccessTokenEvent, createdStatus, isOver } from './machine.ts'
import { type StoredAccessToken, sameToken } from './record.ts'
import type { AccessContext } from './store.ts'

/**
 * Pauses between attempts to save a new token, half a minute together. The lock is held meanwhile: another process
 * would begin a create of its own.
 */
const SAVE_PAUSES_MS = [500, 1000, 2000, 4000, 8000, 15_000]
/** How long the service may still be busy with the create of a process that was killed, if no person is asked. */
const TAKE_OVER_MS = 2000

type Outcome = Extract<AccessTokenEvent, { readonly type: 'created' | 'create-failed' }>

/** The error for a token that came INVALID, or over. */
function uselessToken(outcome: Outcome): TokensError<'TOKEN_RESPONSE_INVALID'> | undefined {
  const status = outcome.type === 'created' ? createdStatus(outcome) : undefined
  if (status === 'INVALID') return answerInvalid('status', 'PENDING or NORMAL', 'INVALID')
  if (status === 'EXPIRED') return answerInvalid('expires_at', 'a time in the future', 'a token that is over')
  return undefined
}

/** What {@link createCreator} makes. */
export type Creator = ReturnType<typeof createCreator>

/** Makes the tokens of a store. */
export function createCreator(context: AccessContext) {
  const { endpoints, clock, onSecondFactor, sandbox, store } = context
  const failedCreates = new FailedCreates()
  let unsaved: Outcome | undefined

  /** Tells a person of the code that is needed, unless it is of no use any more. */
  const announcePending = (record: StoredAccessToken, outcome: Outcome): void => {
    if (outcome.type !== 'created' || !sameToken(record.pending?.token, outcome.answer.token)) return
    for (const item of lifecycleOf(record, clock.now()))
      if (item.type === 'pending' && item.remainingMs > 0) onSecondFactor(item)
  }
  /** @returns Whether the store has it now, and no other create has taken its place. */
  const save = async (outcome: Outcome): Promise<boolean> => {
    unsaved = outcome
    let isApplied = false
    for (let attempt = 0; ; attempt += 1) {
      try {
        isApplied = (await store.apply(outcome)) !== undefined || isApplied
        // A save whose answer was lost may have been done: what others have made of the token since is newer.
        const record = await store.load()
        unsaved = undefined
        announcePending(record, outcome)
        const lastAtMs = record.lastCreate?.atMs ?? (outcome.type === 'created' ? undefined : outcome.atMs)
        return isApplied || lastAtMs === outcome.atMs
      } catch (error) {
        const pauseMs = SAVE_PAUSES_MS[attempt]
        if (pauseMs === undefined || !isTokensError(error, 'TOKEN_STORE_FAILED')) throw error
        await sleep(clock, pauseMs)
      }
    }
  }

  /** Without a second factor, another create may follow one that was never concluded: soon, but not at once. */
  const letKilledEnd = async (signal: AbortSignalLike): Promise<void> => {
    const { lastCreate } = await store.load()
    const sinceMs = lastCreate?.outcome === 'started' ? clock.now() - lastCreate.atMs : TAKE_OVER_MS
    if (sinceMs >= 0 && sinceMs < TAKE_OVER_MS) await sleep(clock, TAKE_OVER_MS - sinceMs, signal)
  }

  /**
   * @returns Whether it was made: `false` where it is not wanted any more.
   * @throws TokensError `TOKEN_CREATE_TOO_SOON` if a new token needs a person and the last create may have asked for one.
   */
  const createUnderLock = async (
    wanted: (record: StoredAccessToken) => boolean,
    signal: AbortSignalLike,
    lost: AbortSignalLike,
  ): Promise<boolean> => {
    if (sandbox) await letKilledEnd(signal)
    throwIfAborted(signal)
    throwIfAborted(lost)

    const atMs = clock.now()
    // Part of the compare-and-set: two processes cannot both find the budget unused, whatever became of the lock.
    const before = await store.apply({ type: 'create', atMs }, (record) => {
      if (!wanted(record)) return false
      const error = sandbox ? undefined : createTooSoon(record, atMs)
      if (error !== undefined) throw error
      return true
    })
    if (before === undefined) return false
    const { current } = before
    const previousToken = current === undefined || isOver(current, atMs) ? undefined : current.token
    const send = (options: TokenCallOptions) => endpoints.create({ previousToken }, options)
    const result = await callEndpoint(context, 'create', send, lost, signal)
    const outcome: Outcome = result.ok
      ? { type: 'created', atMs, nowMs: clock.now(), answer: result.value }
      : { type: 'create-failed', atMs, kind: result.failure.kind }
    const error = result.ok ? uselessToken(outcome) : callFailed('create', result.failure)
    if (error === undefined) failedCreates.succeeded()
    else failedCreates.failed(error, clock.now())
    if ((await save(outcome)) && error !== undefined) throw error
    return true
  }

  return {
    /** Whether a token was created that could not be saved: `create` tries that first. */
    hasUnsaved: (): boolean => unsaved !== undefined,
    /** The error for an automatic create that is too soon after creates that failed. */
    tooSoon: () => failedCreates.tooSoon(clock.now()),
    /**
     * One create, where `wanted` still holds under the lock. Ended once it was sent only where the lock is lost.
     *
     * @returns Whether it was made, or the token of one that was made before is saved now.
     * @throws TokensError `TOKEN_CALL_FAILED`, `TOKEN_CREATE_TOO_SOON`, `TOKEN_RESPONSE_INVALID`, `TOKEN_STORE_FAILED`.
     */
    async create(wanted: (record: StoredAccessToken) => boolean, signal: AbortSignalLike): Promise<boolean> {
      const lock = await store.lockUnless((record) => unsaved === undefined && !wanted(record), signal)
      if (lock === undefined) return false
      try {
        const left = unsaved
        if (left === undefined) return await createUnderLock(wanted, signal, lock.lost)
        return (await save(left)) && left.type === 'created'
      } finally {
        await lock.release()
      }
    },
  }
}
