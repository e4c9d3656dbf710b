/**
 * The lifecycle of a record for `watch()` and for the expiry warnings. `watch()` reads the store only while its
 * caller waits for the next state. It notices a change by this process at once.
 */
import type { AbortSignalLike } from '@brokerwire/core'
import { abortable, createLinkedController, sleep } from '@brokerwire/core/internal'
import { isTokensError } from '../tokens-error.ts'
import { accessTokenTransition, VERIFICATION_WINDOW_MS } from './machine.ts'
import type { StoredAccessToken } from './record.ts'
import type { AccessContext } from './store.ts'
import type { TokenLifecycle } from './types.ts'

/** Returns the end of the verification window of a pending token, in milliseconds since the epoch. */
export const verificationDeadline = (createdAtMs: number): number => createdAtMs + VERIFICATION_WINDOW_MS

/** Returns the current states of a record: two if it has both a usable and a pending token, otherwise one. */
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

/**
 * Returns a key that identifies a change. The key may contain a token, so it must never leave the process.
 */
export function changeKey(item: TokenLifecycle, { current, pending }: StoredAccessToken): string {
  if (item.type === 'normal') return `normal ${item.expiresAtMs} ${current?.token.reveal()}`
  if (item.type === 'expiring')
    return `expiring ${item.thresholdMs} ${item.expiresAtMs} ${current?.token.reveal()}`
  return `${item.type} ${item.type === 'ended' ? item.status : pending?.token.reveal()}`
}

/**
 * Returns the expiry warning that is due; `undefined` if none is. `thresholdsMs` are sorted, the longest first.
 * If several thresholds were passed, only the shortest is reported.
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

/** Returns the milliseconds until the next warning or the expiry; `Infinity` if neither will follow. */
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
 * Yields the current state, then the changes. The iteration ends when `closing` or `signal` aborts.
 *
 * @param announce - Calls `onExpiring` if a warning is due.
 */
export async function* watchAccess(
  { clock, expiryWarningsMs, storePollIntervalMs, store }: AccessContext,
  announce: (record: StoredAccessToken) => Promise<void>,
  closing: AbortSignalLike,
  signal: AbortSignalLike | undefined,
): AsyncGenerator<TokenLifecycle, void, undefined> {
  const ended = (): boolean => closing.aborted || signal?.aborted === true
  /** Waits for `work` until a signal aborts, because the store may not respond. */
  const untilEnd = <T>(work: Promise<T>): Promise<T> => abortable(abortable(work, closing), signal)
  let seen: readonly string[] = []
  while (!ended()) {
    const wake = createLinkedController(closing, signal)
    // The listener is added before the read, so that a change during the read ends the wait below at once.
    const stopListening = store.onChange(() => wake.controller.abort())
    try {
      const record = await untilEnd(store.load()).catch((error: unknown) => {
        // A retryable store failure is ignored, and the store is read again. Other errors are thrown.
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
