/**
 * The lifecycle of a record for `watch()` and for the expiry warnings. The store is read only while a caller waits.
 * A change in this process is seen at once.
 */
import type { AbortSignalLike } from '@brokerwire/core'
import { abortable, createLinkedController, sleep } from '@brokerwire/core/internal'
import { isTokensError } from '../tokens-error.ts'
import { accessTokenTransition, VERIFICATION_WINDOW_MS } from './machine.ts'
import type { StoredAccessToken } from './record.ts'
import type { AccessContext } from './store.ts'
import type { TokenLifecycle } from './types.ts'

/** The end of the verification window of a pending token. */
export const verificationDeadline = (createdAtMs: number): number => createdAtMs + VERIFICATION_WINDOW_MS

/** The current states of a record: at most a usable token and a pending one. */
export function lifecycleStates(record: StoredAccessToken, nowMs: number): readonly TokenLifecycle[] {
  const { current, pending, ended } = accessTokenTransition(record, { type: 'time', nowMs })
  const found: TokenLifecycle[] = []
  if (current !== undefined) {
    const { expiresAtMs } = current
    const remainingMs = expiresAtMs === undefined ? undefined : expiresAtMs - nowMs
    found.push({ type: 'normal', expiresAtMs, remainingMs })
  }
  if (pending !== undefined) {
    const deadlineMs = verificationDeadline(pending.createdAtMs)
    const remainingMs = Math.max(0, deadlineMs - nowMs)
    found.push({ type: 'pending', deadlineMs, remainingMs, renewal: current !== undefined })
  }
  if (found.length > 0) return found
  return [ended === undefined ? { type: 'none' } : { type: 'ended', status: ended }]
}

/** Identifies a change. The key may contain a token, so it never leaves the process. */
export function changeKey(item: TokenLifecycle, { current, pending }: StoredAccessToken): string {
  if (item.type === 'normal') return `normal ${item.expiresAtMs} ${current?.token.reveal()}`
  if (item.type === 'expiring')
    return `expiring ${item.thresholdMs} ${item.expiresAtMs} ${current?.token.reveal()}`
  return `${item.type} ${item.type === 'ended' ? item.status : pending?.token.reveal()}`
}

/**
 * The expiry warning that is due. `thresholdsMs` are sorted, the longest first. Of several passed thresholds only
 * the nearest is reported.
 */
export function dueExpiryWarning(
  { current }: StoredAccessToken,
  nowMs: number,
  thresholdsMs: readonly number[],
): Extract<TokenLifecycle, { readonly type: 'expiring' }> | undefined {
  if (current?.expiresAtMs === undefined) return undefined
  const { expiresAtMs } = current
  const remainingMs = expiresAtMs - nowMs
  const thresholdMs = thresholdsMs.filter((threshold) => remainingMs <= threshold).at(-1)
  if (remainingMs <= 0 || thresholdMs === undefined) return undefined
  return { type: 'expiring', expiresAtMs, remainingMs, thresholdMs }
}

/** Milliseconds until the next warning or the expiry; infinite if there is none. */
function msUntilNextChange(
  { current }: StoredAccessToken,
  nowMs: number,
  thresholdsMs: readonly number[],
): number {
  const remainingMs = (current?.expiresAtMs ?? Number.NaN) - nowMs
  const rests = [...thresholdsMs, 0].map((threshold) => remainingMs - threshold)
  return rests.find((restMs) => restMs > 0) ?? Number.POSITIVE_INFINITY
}

/**
 * Yields the changes, the current state first. Ends when either signal aborts.
 *
 * @param announce - Calls `onExpiring`.
 */
export async function* watchAccess(
  { clock, expiryWarningsMs, storePollIntervalMs, store }: AccessContext,
  announce: (record: StoredAccessToken) => Promise<void>,
  closing: AbortSignalLike,
  signal: AbortSignalLike | undefined,
): AsyncGenerator<TokenLifecycle, void, undefined> {
  const ended = (): boolean => closing.aborted || signal?.aborted === true
  /** Aborts the wait for a store that does not respond. */
  const untilEnd = <T>(work: Promise<T>): Promise<T> => abortable(abortable(work, closing), signal)
  let seen: readonly string[] = []
  while (!ended()) {
    const wake = createLinkedController(closing, signal)
    // Listens before it reads, so that a change in between wakes it at once.
    const stopListening = store.onChange(() => wake.controller.abort())
    try {
      const record = await untilEnd(store.load()).catch((error: unknown) => {
        // A retryable store failure is ignored, and the store is read again. Other failures are thrown.
        if (!ended() && (!isTokensError(error, 'TOKEN_STORE_FAILED') || !error.retryable)) throw error
      })
      let restMs = storePollIntervalMs
      if (record !== undefined) {
        const nowMs = clock.now()
        const states = lifecycleStates(record, nowMs)
        const expiring = dueExpiryWarning(record, nowMs, expiryWarningsMs)
        const items = expiring === undefined ? states : [...states, expiring]
        const names = items.map((item) => changeKey(item, record))
        const news = items.filter((_item, index) => !seen.includes(names[index] ?? ''))
        // A warning that disappears because the clock was set back is not a change.
        const isGone = seen.some((name) => !names.includes(name) && !name.startsWith('expiring'))
        seen = names
        await untilEnd(announce(record)).catch(() => {})
        yield* news.length === 0 && isGone ? states : news
        restMs = Math.min(storePollIntervalMs, msUntilNextChange(record, nowMs, expiryWarningsMs))
      }
      await sleep(clock, restMs, wake.controller.signal).catch(() => {})
    } finally {
      stopListening()
      wake.release()
    }
  }
}
