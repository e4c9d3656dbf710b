/** Retries an operation until it succeeds, and logs the first failure and then one a minute. */
import type { Clock } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'

const FIRST_RETRY_MS = 200
const MAX_RETRY_MS = 5000
const SAY_EVERY_MS = 60_000

/** What to do after a failure. */
export interface Trying {
  readonly clock: Clock
  /** Ends the retries with its reason. */
  readonly signal: AbortSignal
  /** Throws if the error is final. */
  readonly refuse: (error: unknown) => void
  /** @param waitedMs - Milliseconds since the first failure. */
  readonly say: (error: unknown, waitedMs: number) => void
}

/** @returns The first successful result. @throws The error from `refuse`; the signal's reason. */
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
