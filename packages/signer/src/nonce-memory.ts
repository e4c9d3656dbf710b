/**
 * What a verifier remembers of nonces, as a port, and a bounded memory of one process behind it.
 *
 * A full memory refuses instead of forgetting: dropping the oldest would open the replay that it is there to close.
 * Only requests with a valid signature get here, so that nobody without a key can fill it.
 */
import { check } from './signer-error.ts'

/** What a nonce store says: `'full'` where it can take no more. */
export type NonceVerdict = 'new' | 'seen' | 'full'

/** Remembers nonces until they cannot be replayed any more. */
export interface NonceStore {
  /**
   * Remembers a nonce if it is new, atomically.
   *
   * @param key - App key and nonce in one text.
   * @param expiresAtMs - Milliseconds since the Unix epoch: a minute after the timestamp is refused anyway, so that a
   * store whose own clock is ahead by less forgets nothing too early.
   * @param nowMs - The verifier's own reading of the clock. A store that goes by it needs none.
   */
  remember(key: string, expiresAtMs: number, nowMs: number): NonceVerdict | PromiseLike<NonceVerdict>
}

/** Options of {@link createNonceMemory}. */
export interface NonceMemoryOptions {
  /** Nonces held at most. @defaultValue 100000 */
  readonly maxEntries?: number | undefined
}

/** Makes a nonce store in memory, for one process. It has no clock of its own: the verifier's goes with each call. */
export function createNonceMemory(options: NonceMemoryOptions = {}): NonceStore {
  const { maxEntries = 100_000 } = options
  check(typeof maxEntries === 'number' && maxEntries >= 1, 'maxEntries', 'a number from 1')
  const expiries = new Map<string, number>()
  let sweepAt = 0
  const sweep = (nowMs: number): void => {
    sweepAt = Number.POSITIVE_INFINITY
    for (const [key, expiresAtMs] of expiries) {
      if (expiresAtMs < nowMs) expiries.delete(key)
      else sweepAt = Math.min(sweepAt, expiresAtMs)
    }
  }
  return {
    remember(key, expiresAtMs, nowMs) {
      const known = expiries.get(key)
      if (known !== undefined && known >= nowMs) return 'seen'
      if (known === undefined && expiries.size >= maxEntries) {
        if (nowMs > sweepAt) sweep(nowMs)
        if (expiries.size >= maxEntries) return 'full'
      }
      expiries.set(key, expiresAtMs)
      sweepAt = Math.min(sweepAt, expiresAtMs)
      return 'new'
    },
  }
}
