/** Following a token that is not decided: the poll of one process, and what the others do meanwhile. */
import { type AbortSignalLike, type Secret, sleep } from '@brokerwire/core'
import { callFailed } from '../api-call.ts'
import { withTimeLimit } from '../single-flight.ts'
import { TokensError } from '../tokens-error.ts'
import type { TokenStatus } from '../types.ts'
import type { Check, Checked } from './checks.ts'
import { deadlineOf } from './lifecycle.ts'
import type { AccessSettings } from './options.ts'
import { type PendingToken, type StoredAccessToken, sameToken } from './record.ts'
import type { AccessStore } from './store.ts'

/** How long a caller that does not want to wait waits for the lock. */
const LOOK_LOCK_MS = 250

/** Follows pending tokens. */
export interface Follower {
  /**
   * Polls while it holds the lock, watches the store while another process does.
   *
   * @throws TokensError `TOKEN_VERIFICATION_EXPIRED`, `TOKEN_POLL_TIMEOUT`, `TOKEN_CALL_FAILED`.
   */
  follow(token: Secret, signal: AbortSignalLike): Promise<void>
  /**
   * Checks a pending token once, where that is due and no other process is at it.
   *
   * @param always - Whether it is due or not, and however long another process is at it.
   */
  look(signal: AbortSignalLike, always?: boolean): Promise<Checked | undefined>
}

/** The error for a window that ended. */
export function verificationExpired(createdAtMs: number): TokensError<'TOKEN_VERIFICATION_EXPIRED'> {
  return new TokensError(
    'TOKEN_VERIFICATION_EXPIRED',
    'the second factor was not given within five minutes: call renew() for a new token',
    { details: { createdAtMs } },
  )
}

/** Makes it over a store. */
export function createFollower(settings: AccessSettings, store: AccessStore, check: Check): Follower {
  const { clock, pollIntervalMs, pollTimeoutMs } = settings
  /** The last check of a pending token by this process, also where it failed: the store knows of answers only. */
  let lookedAtMs = Number.NEGATIVE_INFINITY

  const pollTimeout = (
    { createdAtMs }: PendingToken,
    lastStatus: TokenStatus,
  ): TokensError<'TOKEN_POLL_TIMEOUT'> =>
    new TokensError('TOKEN_POLL_TIMEOUT', 'the service had not decided when the poll’s timeout ended', {
      details: { pollTimeoutMs, deadlineMs: deadlineOf(createdAtMs), lastStatus },
      retryable: true,
    })

  /** Checks at each interval, the last time when the timeout is over. Time in which the clock is set back is not counted. */
  const poll = async (pending: PendingToken, timeoutMs: number, signal: AbortSignalLike): Promise<void> => {
    let [lastMs, passedMs] = [clock.now(), 0]
    const stopwatch = (): number => {
      const nowMs = clock.now()
      passedMs += Math.max(0, nowMs - lastMs)
      lastMs = nowMs
      return passedMs
    }
    let { status } = pending
    const sinceMs = lastMs - (pending.checkedAtMs ?? pending.createdAtMs)
    let nextMs = sinceMs < 0 ? 0 : Math.min(Math.max(0, pollIntervalMs - sinceMs), timeoutMs)
    for (;;) {
      while (stopwatch() < nextMs) await sleep(clock, nextMs - passedMs, signal)
      // Timers fire a little late. One that is late by more than an interval was asleep: its caller may ask on.
      if (passedMs >= timeoutMs + pollIntervalMs) throw pollTimeout(pending, status)
      const isLast = passedMs >= timeoutMs
      const checked = await check(pending.token, signal)
      if (checked.failure?.kind === 'refused') throw callFailed('check', checked.failure)
      if (checked.failure === undefined) {
        status = checked.status
        if (checked.isReplaced || status === 'NORMAL' || status === 'INVALID') return
        if (status === 'EXPIRED') throw verificationExpired(pending.createdAtMs)
      }
      const pauseMs = checked.failure?.retryAfterMs ?? 0
      if (isLast || stopwatch() + pauseMs >= timeoutMs) throw pollTimeout(pending, status)
      nextMs = Math.min(passedMs + Math.max(pollIntervalMs, pauseMs), timeoutMs)
    }
  }

  const isDue = ({ pending }: StoredAccessToken): boolean => {
    if (pending === undefined) return false
    const sinceMs = clock.now() - Math.max(pending.checkedAtMs ?? pending.createdAtMs, lookedAtMs)
    return sinceMs >= pollIntervalMs || sinceMs < 0
  }
  const isPending = ({ pending }: StoredAccessToken): boolean => pending !== undefined

  return {
    async follow(token, signal) {
      const startMs = clock.now()
      const isGone = ({ pending }: StoredAccessToken): boolean => !sameToken(pending?.token, token)
      const wait = (own: AbortSignalLike) => store.lockUnless(isGone, own)
      const lock = await withTimeLimit(clock, pollTimeoutMs, signal, wait)
      try {
        const record = await store.load()
        const { pending } = record
        if (pending === undefined || isGone(record)) return
        if (lock === undefined) throw pollTimeout(pending, pending.status)
        const restMs = pollTimeoutMs - Math.max(0, clock.now() - startMs)
        await lock.during(signal, (own) => poll(pending, Math.max(1, restMs), own))
      } catch (error) {
        // Another process takes over, or has: what it does is in the store.
        if (!lock?.lost.aborted || signal.aborted) throw error
      } finally {
        await lock?.release()
      }
    },

    async look(signal, always = false) {
      const isWanted = always ? isPending : isDue
      if (!isWanted(await store.load())) return undefined
      const wait = (own: AbortSignalLike) => store.lockUnless((record) => !isWanted(record), own)
      const lock = await (always ? wait(signal) : withTimeLimit(clock, LOOK_LOCK_MS, signal, wait))
      try {
        const record = await store.load()
        const { pending } = record
        if (lock === undefined || pending === undefined || !isWanted(record)) return undefined
        lookedAtMs = clock.now()
        return await lock.during(signal, (own) => check(pending.token, own))
      } catch (error) {
        if (always || !lock?.lost.aborted || signal.aborted) throw error
        return undefined
      } finally {
        await lock?.release()
      }
    },
  }
}
