/** Following a token that is not decided: the poll of one process, and what the others do meanwhile. */
import { type AbortSignalLike, printable, type Secret } from '@brokerwire/core'
import { durationText, linkedAbort, sleep, withTimeoutOrUndefined } from '@brokerwire/core/internal'
import { callFailed } from '../token-call.ts'
import { TokensError } from '../tokens-error.ts'
import type { TokenStatus } from '../types.ts'
import type { Check } from './checks.ts'
import { deadlineOf } from './lifecycle.ts'
import { type PendingToken, type StoredAccessToken, sameToken } from './record.ts'
import type { AccessContext } from './store.ts'

/** The error for a window that ended. */
export function verificationExpired(createdAtMs: number): TokensError<'TOKEN_VERIFICATION_EXPIRED'> {
  return new TokensError(
    'TOKEN_VERIFICATION_EXPIRED',
    'the second factor was not given within five minutes: call renew() for a new token',
    { details: { createdAtMs } },
  )
}

const pollTimeoutText = (timeoutMs: number, lastStatus: TokenStatus): string =>
  `no code was accepted within ${durationText(timeoutMs)} (pollTimeoutMs); the token is still ${printable(lastStatus, 64)}: call get() to go on waiting`

/** Follows pending tokens of a store. */
export function createFollower(context: AccessContext, check: Check) {
  const { clock, pollIntervalMs, pollTimeoutMs, store } = context
  /** The last check of a pending token by this process, also where it failed: the store knows of answers only. */
  let lookedAtMs = Number.NEGATIVE_INFINITY

  const pollTimeout = ({ createdAtMs }: PendingToken, lastStatus: TokenStatus) =>
    new TokensError('TOKEN_POLL_TIMEOUT', pollTimeoutText(pollTimeoutMs, lastStatus), {
      details: { pollTimeoutMs, deadlineMs: deadlineOf(createdAtMs), lastStatus },
      retryable: true,
    })

  /** Checks at each interval, the last time when the timeout is over. Time in which the clock is set back is not counted. */
  const poll = async (pending: PendingToken, timeoutMs: number, signal: AbortSignalLike): Promise<void> => {
    let lastMs = clock.now()
    let passedMs = 0
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
      nextMs = Math.min(passedMs + Math.max(pollIntervalMs, pauseMs), timeoutMs)
    }
  }

  return {
    /**
     * Polls while it holds the lock, watches the store while another process does.
     *
     * @throws TokensError `TOKEN_VERIFICATION_EXPIRED`, `TOKEN_POLL_TIMEOUT`, `TOKEN_CALL_FAILED`.
     */
    async follow(token: Secret, signal: AbortSignalLike): Promise<void> {
      const startMs = clock.now()
      const isGone = ({ pending }: StoredAccessToken): boolean => !sameToken(pending?.token, token)
      const wait = (own: AbortSignalLike) => store.lockUnless(isGone, own)
      const lock = await withTimeoutOrUndefined(clock, pollTimeoutMs, signal, wait)
      const { controller, release } = linkedAbort(signal, lock?.lost)
      try {
        const record = await store.load()
        const { pending } = record
        if (pending === undefined || isGone(record)) return
        if (lock === undefined) throw pollTimeout(pending, pending.status)
        const restMs = pollTimeoutMs - Math.max(0, clock.now() - startMs)
        await poll(pending, Math.max(1, restMs), controller.signal)
      } catch (error) {
        // Another process takes over, or has: what it does is in the store.
        if (!lock?.lost.aborted || signal.aborted) throw error
      } finally {
        release()
        await lock?.release()
      }
    },

    /** Checks a pending token once, where no process has done so for an interval. */
    async look(signal: AbortSignalLike): Promise<void> {
      const { pending } = await store.load()
      if (pending === undefined) return
      const sinceMs = clock.now() - Math.max(pending.checkedAtMs ?? pending.createdAtMs, lookedAtMs)
      if (sinceMs >= 0 && sinceMs < pollIntervalMs) return
      lookedAtMs = clock.now()
      await check(pending.token, signal, true)
    },
  }
}
