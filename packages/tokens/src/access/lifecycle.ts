/**
 * What a record means for those who watch it: its changes for `for await`, and when the end of a token is announced.
 * The store is read while somebody waits, and only then; a change made in this process is seen at once.
 */
import { type AbortSignalLike, linkedAbort, sleep } from '@brokerwire/core'
import { isTokensError } from '../tokens-error.ts'
import { accessTokenTransition, VERIFICATION_WINDOW_MS } from './machine.ts'
import type { AccessSettings } from './options.ts'
import type { StoredAccessToken } from './record.ts'
import type { AccessStore } from './store.ts'
import type { TokenLifecycle } from './types.ts'

/** A state with a name by which a change is seen. The name may hold a token: it never leaves the process. */
interface NamedLifecycle {
  readonly name: string
  readonly item: TokenLifecycle
}

/** When the verification window of a pending token ends. */
export function deadlineOf(createdAtMs: number): number {
  return createdAtMs + VERIFICATION_WINDOW_MS
}

/** The present states of a record: at most a usable token and a pending one. */
function lifecycleOf(record: StoredAccessToken, nowMs: number): readonly NamedLifecycle[] {
  const { current, pending, ended } = accessTokenTransition(record, { type: 'time', nowMs })
  const found: NamedLifecycle[] = []
  if (current !== undefined) {
    const { expiresAtMs } = current
    const remainingMs = expiresAtMs === undefined ? undefined : expiresAtMs - nowMs
    const item = { type: 'normal', expiresAtMs, remainingMs } as const
    found.push({ name: `normal ${expiresAtMs} ${current.token.reveal()}`, item })
  }
  if (pending !== undefined) {
    const deadlineMs = deadlineOf(pending.createdAtMs)
    const remainingMs = Math.max(0, deadlineMs - nowMs)
    const item = { type: 'pending', deadlineMs, remainingMs, renewal: current !== undefined } as const
    found.push({ name: `pending ${pending.token.reveal()}`, item })
  }
  if (found.length > 0) return found
  if (ended !== undefined) return [{ name: `ended ${ended}`, item: { type: 'ended', status: ended } }]
  return [{ name: 'none', item: { type: 'none' } }]
}

/** The coming end of a token. */
type Expiring = Extract<TokenLifecycle, { readonly type: 'expiring' }>

/**
 * The announcement that is due where the thresholds (the longest first) are what they are. Those that were passed
 * unseen are left out but the nearest.
 */
export function expiringAt(
  { current }: StoredAccessToken,
  nowMs: number,
  thresholdsMs: readonly number[],
): Expiring | undefined {
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

/** The changes, the present state first. Ends when either signal aborts. */
export async function* watchAccess(options: {
  readonly settings: AccessSettings
  readonly store: AccessStore
  /** Tells a person of the coming end. */
  readonly announce: (record: StoredAccessToken) => Promise<void>
  readonly closing: AbortSignalLike
  readonly signal: AbortSignalLike | undefined
}): AsyncGenerator<TokenLifecycle, void, undefined> {
  const { settings, store, announce, closing, signal } = options
  const { clock, expiringMs, storeLookMs } = settings
  let announced = ''
  const ended = (): boolean => closing.aborted || signal?.aborted === true
  let seen: readonly string[] = []
  while (!ended()) {
    const wake = linkedAbort(closing, signal)
    // Listening begins before reading: a change in between wakes at once.
    const stopListening = store.onChange(() => wake.controller.abort())
    try {
      const record = await store.load().catch((error: unknown) => {
        // A store that fails now and then is looked at again; one that will go on failing is told of.
        if (!isTokensError(error, 'TOKEN_STORE_FAILED') || !error.retryable) throw error
      })
      let restMs = storeLookMs
      if (record !== undefined) {
        const nowMs = clock.now()
        const states = lifecycleOf(record, nowMs)
        const news = states.filter(({ name }) => !seen.includes(name))
        const gone = seen.some((name) => !states.some((state) => state.name === name))
        seen = states.map(({ name }) => name)
        for (const { item } of news.length === 0 && gone ? states : news) yield item
        await announce(record)
        const expiring = expiringAt(record, nowMs, expiringMs)
        const name = `${expiring?.thresholdMs} ${expiring?.expiresAtMs} ${record.current?.token.reveal()}`
        if (expiring !== undefined && name !== announced) yield expiring
        announced = name
        restMs = Math.min(storeLookMs, nextInMs(record, nowMs, expiringMs))
      }
      await sleep(clock, restMs, wake.controller.signal).catch(() => {})
    } finally {
      stopListening()
      wake.release()
    }
  }
}
