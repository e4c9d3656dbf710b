/**
 * The keep-alive option: a token that nobody asked for in a while is checked. The one thing here that runs by itself,
 * and only where it was asked for.
 */
import { type AbortSignalLike, type Clock, sleep } from '@brokerwire/core'

/**
 * @param idleMs - After so long without use; `undefined`: never.
 * @param closing - Ends it.
 * @param check - Asks for the token. Its failure shows at the next use.
 * @returns Tells that the token was used now.
 */
export function createKeepAlive(
  clock: Clock,
  idleMs: number | undefined,
  closing: AbortSignalLike,
  check: () => Promise<unknown>,
): () => void {
  let lastUseMs = 0
  let isRunning = false
  const run = async (limitMs: number): Promise<void> => {
    for (;;) {
      await sleep(clock, Math.max(1, lastUseMs + limitMs - clock.now()), closing)
      if (clock.now() - lastUseMs < limitMs) continue
      lastUseMs = clock.now()
      await check().catch(() => {})
    }
  }
  return () => {
    lastUseMs = clock.now()
    if (isRunning || idleMs === undefined) return
    isRunning = true
    // It ends when it is closed, and in no other way.
    run(idleMs).catch(() => {})
  }
}
