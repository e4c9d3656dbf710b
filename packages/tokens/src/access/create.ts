/**
 * The create: announced in the store, sent, and saved by compare-and-set on that very create, so that a process which
 * was stopped for a while cannot undo what another has done.
 *
 * It is announced before it is sent: a store that cannot be written is found out before a person is asked for a second
 * factor whose token could not be kept.
 */
import { type AbortSignalLike, sleep, throwIfAborted } from '@brokerwire/core'
import { callApi, callFailed } from '../api-call.ts'
import { tellCall } from '../observation.ts'
import { answerInvalid, isTokensError, type TokensError } from '../tokens-error.ts'
import type { AccessTokenRecord } from '../types.ts'
import { deadlineOf } from './lifecycle.ts'
import { type AccessTokenFact, createdStatus, isOver } from './machine.ts'
import type { AccessSettings } from './options.ts'
import { type StoredAccessToken, sameToken } from './record.ts'
import type { AccessStore } from './store.ts'
import type { TokenNotice } from './types.ts'

/**
 * Pauses between attempts to save a new token, half a minute together. The lock is held meanwhile: another process
 * would begin a create of its own.
 */
const SAVE_PAUSES_MS = [500, 1000, 2000, 4000, 8000, 15_000]
/** How long the service may still be busy with the create of a process that was killed. */
const TAKE_OVER_MS = 2000

/** Makes tokens. */
export interface Creator {
  /**
   * One create, where `wanted` still holds under the lock. Ended once it was sent only where the lock is lost.
   *
   * @returns Whether it was made, or one that was made before was saved.
   * @throws TokensError `TOKEN_CALL_FAILED`, `TOKEN_ANSWER_INVALID`, `TOKEN_STORE_FAILED`.
   */
  create(wanted: (record: StoredAccessToken) => boolean, signal: AbortSignalLike): Promise<boolean>
  /** Whether a token was created that could not be saved: `create` tries that first. */
  hasUnsaved(): boolean
}

type Outcome = Extract<AccessTokenFact, { readonly type: 'created' | 'create-failed' }>

/** What came of a create, and whether it was to replace a token that is still good. */
interface Created {
  readonly outcome: Outcome
  readonly isRenewal: boolean
}

/** The new token where it awaits its second factor, or something unknown. */
function pendingOf(outcome: Outcome): AccessTokenRecord | undefined {
  if (outcome.type === 'create-failed') return undefined
  return ['NORMAL', 'INVALID', 'EXPIRED'].includes(createdStatus(outcome)) ? undefined : outcome.answer
}

/** The error for a token that came INVALID, or over. */
function uselessToken(outcome: Outcome): TokensError<'TOKEN_ANSWER_INVALID'> | undefined {
  const status = outcome.type === 'created' ? createdStatus(outcome) : undefined
  if (status === 'INVALID') return answerInvalid('status', 'PENDING or NORMAL', 'INVALID')
  if (status === 'EXPIRED') return answerInvalid('expires_at', 'a time in the future', 'a token that is over')
  return undefined
}

/** Makes it over a store. @param notice - Tells a person. */
export function createCreator(
  { api, clock, callTimeoutMs, observe }: AccessSettings,
  store: AccessStore,
  notice: (item: TokenNotice) => void,
): Creator {
  let unsaved: Created | undefined

  /** @returns Whether the store has it now, and nobody has made something else of it. */
  const saveOnce = async ({ outcome }: Created): Promise<boolean> => {
    const pending = pendingOf(outcome)
    let isKept = false
    await store.apply(outcome, ({ lastCreate, pending: stored }) => {
      // A save whose answer was lost may have been done: what others have made of the token since is newer.
      const isStill = pending === undefined || sameToken(stored?.token, pending.token)
      isKept = lastCreate?.atMs === outcome.atMs && (lastCreate.outcome === 'started' || isStill)
      return true
    })
    return isKept
  }
  const save = async (created: Created): Promise<boolean> => {
    unsaved = created
    for (let attempt = 0; ; attempt += 1) {
      try {
        const isKept = await saveOnce(created)
        unsaved = undefined
        return isKept
      } catch (error) {
        const pauseMs = SAVE_PAUSES_MS[attempt]
        if (pauseMs === undefined || !isTokensError(error, 'TOKEN_STORE_FAILED')) throw error
        await sleep(clock, pauseMs)
      }
    }
  }
  /** Tells a person of the code that is needed, unless it is of no use any more. */
  const tellPending = ({ outcome, isRenewal }: Created): void => {
    if (outcome.type === 'create-failed' || pendingOf(outcome) === undefined) return
    const deadlineMs = deadlineOf(outcome.nowMs)
    const remainingMs = deadlineMs - clock.now()
    if (remainingMs > 0) notice({ type: 'pending', deadlineMs, remainingMs, renewal: isRenewal })
  }

  /** @returns Whether it was made: `false` where it is not wanted any more. */
  const createUnderLock = async (
    wanted: (record: StoredAccessToken) => boolean,
    signal: AbortSignalLike,
    lost: AbortSignalLike,
  ): Promise<boolean> => {
    const { lastCreate } = await store.load()
    const sinceMs = lastCreate?.outcome === 'started' ? clock.now() - lastCreate.atMs : TAKE_OVER_MS
    if (sinceMs >= 0 && sinceMs < TAKE_OVER_MS) await sleep(clock, TAKE_OVER_MS - sinceMs, signal)
    throwIfAborted(signal)
    throwIfAborted(lost)

    const atMs = clock.now()
    const before = await store.apply({ type: 'create', atMs }, wanted)
    if (before === undefined) return false
    const { current } = before
    const previousToken = current === undefined || isOver(current, atMs) ? undefined : current.token
    const result = await callApi(
      clock,
      callTimeoutMs,
      (options) => api.create({ previousToken }, { ...options, unsentSignal: signal }),
      lost,
    )
    tellCall(observe, 'create', result)
    const outcome: Outcome = result.ok
      ? { type: 'created', atMs, nowMs: clock.now(), answer: result.value }
      : { type: 'create-failed', atMs, kind: result.failure.kind }
    const created: Created = { outcome, isRenewal: previousToken !== undefined }
    if (!(await save(created))) return true
    tellPending(created)
    const error = result.ok ? uselessToken(outcome) : callFailed('create', result.failure)
    if (error !== undefined) throw error
    return true
  }

  return {
    hasUnsaved: () => unsaved !== undefined,
    async create(wanted, signal) {
      const lock = await store.lockUnless((record) => unsaved === undefined && !wanted(record), signal)
      if (lock === undefined) return false
      try {
        if (unsaved === undefined) return await createUnderLock(wanted, signal, lock.lost)
        const created = unsaved
        if (await save(created)) tellPending(created)
        return true
      } finally {
        await lock.release()
      }
    },
  }
}
