/**
 * Changes of the token for those who wait with `for await`. Reads the store while somebody waits, and only then; a
 * change made in this process is seen at once.
 */
import { type AbortSignalLike, linkedAbort, sleep } from '@brokerwire/core'
import { isTokensError } from '../tokens-error.ts'
import { createExpiryNotices, lifecycleOf } from './lifecycle.ts'
import type { AccessSettings } from './options.ts'
import type { TokenRecord } from './record.ts'
import type { AccessStore } from './store.ts'
import type { TokenLifecycle } from './types.ts'

/** The changes, the present state first. Ends when either signal aborts. */
export async function* watchAccess(options: {
  readonly settings: AccessSettings
  readonly store: AccessStore
  /** Tells a person of the coming end. */
  readonly announce: (record: TokenRecord) => Promise<void>
  readonly closing: AbortSignalLike
  readonly signal: AbortSignalLike | undefined
}): AsyncGenerator<TokenLifecycle, void, undefined> {
  const { settings, store, announce, closing, signal } = options
  const { clock, sandbox, expiringMs, storeLookMs } = settings
  const notices = createExpiryNotices(sandbox ? [] : expiringMs)
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
      if (record === undefined) {
        await sleep(clock, storeLookMs, wake.controller.signal).catch(() => {})
        continue
      }
      const nowMs = clock.now()
      const states = lifecycleOf(record, nowMs)
      const news = states.filter(({ name }) => !seen.includes(name))
      const gone = seen.some((name) => !states.some((state) => state.name === name))
      seen = states.map(({ name }) => name)
      for (const { item } of news.length === 0 && gone ? states : news) yield item
      await announce(record)
      const expiring = notices.due(record, nowMs)
      if (expiring !== undefined) yield expiring
      const restMs = Math.min(storeLookMs, notices.nextInMs(record, nowMs) ?? storeLookMs)
      await sleep(clock, restMs, wake.controller.signal).catch(() => {})
    } finally {
      stopListening()
      wake.release()
    }
  }
}
