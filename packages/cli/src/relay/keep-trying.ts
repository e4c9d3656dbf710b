/** Tries until it works, and says that it still waits: at the first failure, and once a minute from then on. */
import type { Clock } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'

const FIRST_RETRY_MS = 200
const MAX_RETRY_MS = 5000
const SAY_EVERY_MS = 60_000

/** What is done at each failure. */
export interface Trying {
  readonly clock: Clock
  /** Ends the wait with its reason. */
  readonly signal: AbortSignal
  /** Throws where it will never work. */
  readonly refuse: (error: unknown) => void
  /** @param waitedMs - Since the first failure. */
  readonly say: (error: unknown, waitedMs: number) => void
}

/** @returns What the first attempt gives that succeeds. @throws What `refuse` throws; the signal's reason. */
export async function keepTrying<T>(
  attempt: () => Promise<T>,
  { clock, signal, refuse, say }: Trying,
): Promise<T> {
  let firstMs: number | undefined
  let saidMs = Number.NEGATIVE_INFINITY
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt()
    } catch (error) {
      refuse(error)
      const nowMs = clock.now()
      firstMs ??= nowMs
      if (nowMs - saidMs >= SAY_EVERY_MS) {
        say(error, nowMs - firstMs)
        saidMs = nowMs
      }
      await sleep(clock, Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 10)), signal)
    }
  }
}
