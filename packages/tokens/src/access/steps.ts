/**
 * The runner's undertakings: create, follow, look once, verify. Each works on what the store holds when it begins and
 * writes by compare-and-set on that very token, so that a process which was stopped for a while cannot undo what
 * another has done.
 *
 * A create is announced in the store before it is sent: a store that cannot be written is found out before a person
 * is asked for a second factor whose token could not be kept.
 */
import { type AbortSignalLike, linkedAbort, type Secret, sleep, tell, throwIfAborted } from '@brokerwire/core'
import { callFailed } from '../api-call.ts'
import { tellCall } from '../observation.ts'
import { answerInvalid, isTokensError, TokensError } from '../tokens-error.ts'
import { isOver, VERIFICATION_WINDOW_MS } from './decision.ts'
import { type DrivePorts, type DriveResult, drive } from './drive.ts'
import { deadlineOf } from './lifecycle.ts'
import type { AccessSettings } from './options.ts'
import { recordAfter, recordAfterCreate, sameToken, type TokenRecord } from './record.ts'
import type { AccessTokenState, PendingToken, UsableToken } from './state.ts'
import type { AccessStore } from './store.ts'
import type { TokenNotice } from './types.ts'

/** How long somebody who does not want to wait waits for the lock. */
const LOOK_LOCK_MS = 250
/**
 * Pauses between attempts to save a new token, half a minute together. The lock is held meanwhile: another process
 * would begin a create of its own.
 */
const SAVE_PAUSES_MS = [500, 1000, 2000, 4000, 8000, 15_000]
/** How long the service may still be busy with the create of a process that was killed. */
const TAKE_OVER_MS = 2000

/** The undertakings. */
export interface AccessSteps {
  /**
   * One create, where `wanted` still holds under the lock. Never aborted once it was sent.
   *
   * @returns Whether it was made, or one that was made before was saved.
   * @throws TokensError `TOKEN_CALL_FAILED`, `TOKEN_ANSWER_INVALID`, `TOKEN_STORE_FAILED`.
   */
  create(wanted: (record: TokenRecord) => boolean, signal: AbortSignalLike): Promise<boolean>
  /**
   * Follows a pending token: polls while it holds the lock, watches the store while another process does.
   *
   * @throws TokensError `TOKEN_VERIFICATION_EXPIRED`, `TOKEN_POLL_TIMEOUT`, `TOKEN_CALL_FAILED`.
   */
  follow(token: Secret, signal: AbortSignalLike): Promise<void>
  /** Checks a pending token once, where that is due and nobody else is at it. */
  look(signal: AbortSignalLike, always?: boolean): Promise<DriveResult | undefined>
  /** Checks a token that was NORMAL. */
  verify(token: UsableToken, signal: AbortSignalLike): Promise<DriveResult>
  notice(notice: TokenNotice): void
  /** Whether a token was created that could not be saved: `create` tries that first. */
  hasUnsaved(): boolean
}

/** The error for a window that ended. */
export function verificationExpired(createdAtMs: number): TokensError<'TOKEN_VERIFICATION_EXPIRED'> {
  return new TokensError(
    'TOKEN_VERIFICATION_EXPIRED',
    'the second factor was not given within five minutes: call renew() for a new token',
    { details: { createdAtMs } },
  )
}

function createdOver(outcome: 'invalid' | 'expired'): TokensError<'TOKEN_ANSWER_INVALID'> {
  return outcome === 'invalid'
    ? answerInvalid('status', 'PENDING or NORMAL', 'INVALID')
    : answerInvalid('expires_at', 'a time in the future', 'a token that is over')
}

/** What came of a create, when it was begun, and whether it was to replace a token that is still good. */
interface Created {
  readonly state: AccessTokenState
  readonly atMs: number
  readonly renewal: boolean
}

/** Makes the undertakings over a store. */
export function createAccessSteps(settings: AccessSettings, store: AccessStore): AccessSteps {
  const { api, clock, pollIntervalMs, pollTimeoutMs, callTimeoutMs, sandbox, rejectionCodes } = settings
  /** The last check of a pending token by this process, also where it failed: the store knows of answers only. */
  let lookedAtMs = Number.NEGATIVE_INFINITY
  /** A token that was created and could not be stored. */
  let unsaved: Created | undefined

  const notice = (item: TokenNotice): void => tell(() => settings.notify(item))
  const tellPending = (createdAtMs: number, renewal: boolean): void => {
    const deadlineMs = deadlineOf(createdAtMs)
    notice({ type: 'pending', deadlineMs, remainingMs: deadlineMs - clock.now(), renewal })
  }
  const ports = (save: DrivePorts['save'], renewal = false): DrivePorts => ({
    api,
    clock,
    callTimeoutMs,
    quietMs: sandbox ? 0 : VERIFICATION_WINDOW_MS,
    rejectionCodes,
    save,
    notify: (createdAtMs) => tellPending(createdAtMs, renewal),
    answered: (call, result) => tellCall(settings.observe, call, result),
  })
  const saveAfter = (token: Secret) => (state: AccessTokenState) =>
    store.change((record) => recordAfter(record, token, state))

  /** @returns Whether the store has it now. */
  const saveCreated = async (created: Created): Promise<boolean> => {
    const { state, atMs } = created
    let isKept = false
    unsaved = created
    for (let attempt = 0; ; attempt += 1) {
      try {
        await store.change((record) => {
          // Another create since then means that the lock was taken over: what is stored is newer.
          const isOurs = record.lastCreate?.atMs === atMs
          // A save whose answer was lost may have been done: what others have made of the token since is newer, too.
          const isNew = isOurs && record.lastCreate?.outcome === 'started'
          isKept =
            isNew ||
            (isOurs && (state.name !== 'pending' || sameToken(record.pending?.token, state.pending.token)))
          return isNew ? recordAfterCreate(record, state, atMs) : undefined
        })
        unsaved = undefined
        return isKept
      } catch (error) {
        const pauseMs = SAVE_PAUSES_MS[attempt]
        if (pauseMs === undefined || !isTokensError(error, 'TOKEN_STORE_FAILED')) throw error
        await sleep(clock, pauseMs)
      }
    }
  }

  const drivePending = (
    pending: PendingToken,
    timeoutMs: number,
    signal: AbortSignalLike,
  ): Promise<DriveResult> =>
    drive(
      ports(saveAfter(pending.token)),
      { name: 'pending', pending },
      { type: 'follow', nowMs: clock.now(), intervalMs: pollIntervalMs, timeoutMs },
      signal,
    )

  return {
    notice,
    hasUnsaved: () => unsaved !== undefined,
    async create(wanted, signal) {
      const lock = await store.lockUnless((record) => unsaved === undefined && !wanted(record), signal)
      if (lock === undefined) return false
      try {
        if (unsaved !== undefined) {
          const { state, renewal } = unsaved
          const isKept = await saveCreated(unsaved)
          // Nobody was told when it came: a code is of no use for a token that is not kept, nor after its window.
          if (isKept && state.name === 'pending' && deadlineOf(state.pending.createdAtMs) > clock.now())
            tellPending(state.pending.createdAtMs, renewal)
          return true
        }
        const { lastCreate } = await store.load()
        if (lastCreate?.outcome === 'started') {
          const sinceMs = clock.now() - lastCreate.atMs
          if (sinceMs >= 0 && sinceMs < TAKE_OVER_MS) await sleep(clock, TAKE_OVER_MS - sinceMs, signal)
        }
        throwIfAborted(signal)
        throwIfAborted(lock.lost)
        let before: TokenRecord = {}
        const atMs = clock.now()
        const announced = await store.change((record) => {
          before = record
          return wanted(record) ? { ...record, lastCreate: { atMs, outcome: 'started' } } : undefined
        })
        if (!announced) return false
        const { current } = before
        const previousToken = current === undefined || isOver(current, atMs) ? undefined : current.token
        const renewal = previousToken !== undefined
        const { outcome, failure } = await drive(
          { ...ports((state) => saveCreated({ state, atMs, renewal }), renewal), lost: lock.lost },
          { name: 'none' },
          { type: 'create', nowMs: atMs, previousToken },
          signal,
        )
        if (failure !== undefined) throw callFailed('create', failure)
        if (outcome === 'invalid' || outcome === 'expired') throw createdOver(outcome)
        return true
      } finally {
        await lock.release()
      }
    },

    async follow(token, signal) {
      const startMs = clock.now()
      let deadlineMs = deadlineOf(startMs)
      const over = (lastStatus = 'PENDING'): TokensError =>
        new TokensError('TOKEN_POLL_TIMEOUT', 'the service had not decided when the poll’s timeout ended', {
          details: { pollTimeoutMs, deadlineMs, lastStatus },
          retryable: true,
        })
      const limited = linkedAbort(signal)
      const cancelLimit = clock.setTimer(() => limited.controller.abort(over()), pollTimeoutMs)
      const lock = await store
        .lockUnless(({ pending }) => !sameToken(pending?.token, token), limited.controller.signal)
        .finally(() => {
          cancelLimit()
          limited.release()
        })
      if (lock === undefined) return
      const held = linkedAbort(signal, lock.lost)
      try {
        const { pending } = await store.load()
        if (pending === undefined || !sameToken(pending.token, token)) return
        deadlineMs = deadlineOf(pending.createdAtMs)
        const waitedMs = Math.max(0, clock.now() - startMs)
        const timeoutMs = Math.max(1, pollTimeoutMs - waitedMs)
        const { state, outcome, failure } = await drivePending(pending, timeoutMs, held.controller.signal)
        if (outcome === 'window-over') throw verificationExpired(pending.createdAtMs)
        if (outcome === 'poll-timeout')
          throw over(state.name === 'pending' ? state.pending.status : pending.status)
        if (failure !== undefined) throw callFailed('check', failure)
      } catch (error) {
        // Another process took the lock over: what it does is in the store.
        if (lock.lost.aborted && !signal.aborted) return
        throw error
      } finally {
        held.release()
        await lock.release()
      }
    },

    async look(signal, always = false) {
      const limited = linkedAbort(signal)
      const cancelLimit = always
        ? () => {}
        : clock.setTimer(() => limited.controller.abort(new Error('somebody else is at it')), LOOK_LOCK_MS)
      try {
        const isDue = ({ pending }: TokenRecord): boolean => {
          if (pending === undefined || always) return pending !== undefined
          const lastMs = Math.max(pending.checkedAtMs ?? pending.createdAtMs, lookedAtMs)
          const sinceMs = clock.now() - lastMs
          return sinceMs >= pollIntervalMs || sinceMs < 0
        }
        if (!isDue(await store.load())) return undefined
        const lock = await store.lockUnless((record) => !isDue(record), limited.controller.signal)
        cancelLimit()
        if (lock === undefined) return undefined
        const held = linkedAbort(signal, lock.lost)
        try {
          const record = await store.load()
          if (record.pending === undefined || !isDue(record)) return undefined
          lookedAtMs = clock.now()
          return await drivePending(record.pending, 0, held.controller.signal)
        } catch (error) {
          if (always || !lock.lost.aborted || signal.aborted) throw error
          return undefined
        } finally {
          held.release()
          await lock.release()
        }
      } catch (error) {
        if (limited.controller.signal.aborted && !signal.aborted) return undefined
        throw error
      } finally {
        cancelLimit()
        limited.release()
      }
    },

    verify: (token, signal) =>
      drive(
        ports(saveAfter(token.token)),
        { name: 'normal', ...token },
        { type: 'verify', nowMs: clock.now() },
        signal,
      ),
  }
}
