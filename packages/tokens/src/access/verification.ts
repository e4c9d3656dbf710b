/**
 * Polls a pending token. The process that has the lock polls the token; the other processes watch the store.
 */
import { type AbortSignalLike, escapeControlChars, type Secret } from '@brokerwire/core'
import {
  createLinkedController,
  durationText,
  sleep,
  withTimeoutOrUndefined,
} from '@brokerwire/core/internal'
import { callFailed } from '../token-call.ts'
import { TokensError } from '../tokens-error.ts'
import type { TokenStatus } from '../types.ts'
import type { Check } from './checks.ts'
import { verificationDeadline } from './lifecycle.ts'
import { type PendingToken, type StoredAccessToken, sameToken } from './record.ts'
import type { AccessContext } from './store.ts'

/** Creates the error for a verification window that has ended. */
export function verificationExpired(createdAtMs: number): TokensError<'TOKEN_VERIFICATION_EXPIRED'> {
  return new TokensError(
    'TOKEN_VERIFICATION_EXPIRED',
    'the second factor was not entered within five minutes. Call renew() for a new token',
    { details: { createdAtMs } },
  )
}

const pollTimeoutText = (timeoutMs: number, lastStatus: TokenStatus): string =>
  `no code was entered within ${durationText(timeoutMs)} (pollTimeoutMs); the token is still ${escapeControlChars(lastStatus, 64)}. Call get() to continue waiting`

/** Creates the poller of pending tokens. */
export function createVerificationPoller(context: AccessContext, check: Check) {
  const { clock, pollIntervalMs, pollTimeoutMs, store } = context
  /**
   * When this process last began a check, including checks that failed. The store records only checks with a
   * response.
   */
  let lastCheckMs = Number.NEGATIVE_INFINITY

  const pollTimeout = ({ createdAtMs }: PendingToken, lastStatus: TokenStatus) =>
    new TokensError('TOKEN_POLL_TIMEOUT', pollTimeoutText(pollTimeoutMs, lastStatus), {
      details: { pollTimeoutMs, deadlineMs: verificationDeadline(createdAtMs), lastStatus },
      retryable: true,
    })

  /**
   * Checks the token at each interval, and a last time at the timeout. If the clock is set back, the elapsed
   * time does not change.
   */
  const poll = async (pending: PendingToken, timeoutMs: number, signal: AbortSignalLike): Promise<void> => {
    let lastMs = clock.now()
    let elapsedMs = 0
    const stopwatch = (): number => {
      const nowMs = clock.now()
      elapsedMs += Math.max(0, nowMs - lastMs)
      lastMs = nowMs
      return elapsedMs
    }
    let { status } = pending
    const sinceMs = lastMs - (pending.checkedAtMs ?? pending.createdAtMs)
    let nextMs = sinceMs < 0 ? 0 : Math.min(Math.max(0, pollIntervalMs - sinceMs), timeoutMs)
    for (;;) {
      while (stopwatch() < nextMs) await sleep(clock, nextMs - elapsedMs, signal)
      // Timers fire slightly late. If one is late by more than an interval, the process was suspended. The call
      // then fails, and the caller may call again.
      if (elapsedMs >= timeoutMs + pollIntervalMs) throw pollTimeout(pending, status)
      const isLast = elapsedMs >= timeoutMs
      const checked = await check(pending.token, signal, true)
      const failure = checked.ok ? undefined : checked.failure
      if (failure?.kind === 'rejected') throw callFailed('check', failure)
      if (checked.ok) {
        status = checked.value.status
        if (status === 'EXPIRED') throw verificationExpired(pending.createdAtMs)
        if (!sameToken((await store.load()).pending?.token, pending.token)) return
      }
      const pauseMs = failure?.retryAfterMs ?? 0
      if (isLast || stopwatch() + pauseMs >= timeoutMs) throw pollTimeout(pending, status)
      nextMs = Math.min(elapsedMs + Math.max(pollIntervalMs, pauseMs), timeoutMs)
    }
  }

  return {
    /**
     * Polls the token if this process gets the lock; otherwise waits until another process has changed the
     * record.
     *
     * @throws TokensError `TOKEN_VERIFICATION_EXPIRED`, `TOKEN_POLL_TIMEOUT`, `TOKEN_CALL_FAILED`.
     */
    async pollUntilVerified(token: Secret, signal: AbortSignalLike): Promise<void> {
      const startMs = clock.now()
      const isGone = ({ pending }: StoredAccessToken): boolean => !sameToken(pending?.token, token)
      const wait = (limited: AbortSignalLike) => store.acquireLockUnlessChanged(isGone, limited)
      const lock = await withTimeoutOrUndefined(clock, pollTimeoutMs, signal, wait)
      const { controller, release } = createLinkedController(signal, lock?.lost)
      try {
        const record = await store.load()
        const { pending } = record
        if (pending === undefined || isGone(record)) return
        if (lock === undefined) throw pollTimeout(pending, pending.status)
        const restMs = pollTimeoutMs - Math.max(0, clock.now() - startMs)
        await poll(pending, Math.max(1, restMs), controller.signal)
      } catch (error) {
        // If only the lock was lost, another process continues to poll or has finished. The caller finds the
        // result in the store.
        if (!lock?.lost.aborted || signal.aborted) throw error
      } finally {
        release()
        await lock?.release()
      }
    },

    /** Checks a pending token once, unless this or another process has checked it within `pollIntervalMs`. */
    async checkOnce(signal: AbortSignalLike): Promise<void> {
      const { pending } = await store.load()
      if (pending === undefined) return
      const sinceMs = clock.now() - Math.max(pending.checkedAtMs ?? pending.createdAtMs, lastCheckMs)
      if (sinceMs >= 0 && sinceMs < pollIntervalMs) return
      lastCheckMs = clock.now()
      await check(pending.token, signal, true)
    },
  }
}
