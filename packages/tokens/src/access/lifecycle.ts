/**
 * What a record means for those who watch it: its changes for `for await`, and when the end of a token is announced.
 * The store is read while somebody waits, and only then; a change made in this process is seen at once.
 */
import type { AbortSignalLike } from '@brokerwire/core'
import { abortable, linkedAbort, sleep } from '@brokerwire/core/internal'
import { isTokensError } from '../tokens-error.ts'
import { accessTokenTransition, VERIFICATION_WINDOW_MS } from './machine.ts'
import type { StoredAccessToken } from './record.ts'
import type { AccessContext } from './store.ts'
import type { TokenLifecycle } from './types.ts'

/** When the verification window of a pending token ends. */
export const deadlineOf = (createdAtMs: number): number => createdAtMs + VERIFICATION_WINDOW_MS

/** The present states of a record: at most a usable token and a pending one. */
export function lifecycleOf(record: StoredAccessToken, nowMs: number): readonly TokenLifecycle[] {
  const { current, pending, ended } = accessTokenTransition(record, { type: 'time', nowMs })
  const found: TokenLifecycle[] = []
  if (current !== undefined) {
    const { expiresAtMs } = current
    const remainingMs = expiresAtMs === undefined ? undefined : expiresAtMs - nowMs
    found.push({ type: 'normal', expiresAtMs, remainingMs })
  }
  if (pending !== undefined) {
    const deadlineMs = deadlineOf(pending.createdAtMs)
    const remainingMs = Math.max(0, deadlineMs - nowMs)
    found.push({ type: 'pending', deadlineMs, remainingMs, renewal: current !== undefined })
  }
  if (found.length > 0) return found
  return [ended === undefined ? { type: 'none' } : { type: 'ended', status: ended }]
}

/** By which a change is seen. It may hold a token: it never leaves the process. */
export function nameOf(item: TokenLifecycle, { current, pending }: StoredAccessToken): string {
  if (item.type === 'normal') return `normal ${item.expiresAtMs} ${current?.token.reveal()}`
  if (item.type === 'expiring')
    return `expiring ${item.thresholdMs} ${item.expiresAtMs} ${current?.token.reveal()}`
  return `${item.type} ${item.type === 'ended' ? item.status : pending?.token.reveal()}`
}

/**
 * The announcement that is due where the thresholds (the longest first) are what they are. Those that were passed
 * unseen are left out but the nearest.
 */
export function expiringAt(
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

/** Milliseconds until the next announcement or the end; infinite where there is none. */
function nextInMs({ current }: StoredAccessToken, nowMs: number, thresholdsMs: readonly number[]): number {
  const remainingMs = (current?.expiresAtMs ?? Number.NaN) - nowMs
  const rests = [...thresholdsMs, 0].map((threshold) => remainingMs - threshold)
  return rests.find((restMs) => restMs > 0) ?? Number.POSITIVE_INFINITY
}

/**
 * The changes, the present state first. Ends when either signal aborts.
 *
 * @param announce - Tells a person of the coming end.
 */
export async function* watchAccess(
  { clock, expiryWarningsMs, storePollIntervalMs, store }: AccessContext,
  announce: (record: StoredAccessToken) => Promise<void>,
  closing: AbortSignalLike,
  signal: AbortSignalLike | undefined,
): AsyncGenerator<TokenLifecycle, void, undefined> {
  const ended = (): boolean => closing.aborted || signal?.aborted === true
  /** A store that does not answer keeps nobody. */
  const untilEnd = <T>(work: Promise<T>): Promise<T> => abortable(abortable(work, closing), signal)
  let seen: readonly string[] = []
  while (!ended()) {
    const wake = linkedAbort(closing, signal)
    // Listening begins before reading: a change in between wakes at once.
    const stopListening = store.onChange(() => wake.controller.abort())
    try {
      const record = await untilEnd(store.load()).catch((error: unknown) => {
        // A store that fails now and then is looked at again; one that will go on failing is told of.
        if (!ended() && (!isTokensError(error, 'TOKEN_STORE_FAILED') || !error.retryable)) throw error
      })
      let restMs = storePollIntervalMs
      if (record !== undefined) {
        const nowMs = clock.now()
        const states = lifecycleOf(record, nowMs)
        const expiring = expiringAt(record, nowMs, expiryWarningsMs)
        const items = expiring === undefined ? states : [...states, expiring]
        const names = items.map((item) => nameOf(item, record))
        const news = items.filter((_item, index) => !seen.includes(names[index] ?? ''))
        // An announcement that is withdrawn, because the clock was set back, is no change.
        const isGone = seen.some((name) => !names.includes(name) && !name.startsWith('expiring'))
        seen = names
        await untilEnd(announce(record)).catch(() => {})
        yield* news.length === 0 && isGone ? states : news
        restMs = Math.min(storePollIntervalMs, nextInMs(record, nowMs, expiryWarningsMs))
      }
      await sleep(clock, restMs, wake.controller.signal).catch(() => {})
    } finally {
      stopListening()
      wake.release()
    }
  }
}
