/** Retries an operation until it succeeds. Reports the first failure, and then one failure per minute. */
import type { Clock } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'

const FIRST_RETRY_MS = 200
const MAX_RETRY_MS = 5000
const REPORT_INTERVAL_MS = 60_000

/** Options of {@link retryForever}. */
export interface RetryOptions {
  readonly clock: Clock
  /** Ends the retries. The call then rejects with the signal's reason. */
  readonly signal: AbortSignal
  /** Throws if the error is permanent. */
  readonly throwIfPermanent: (error: unknown) => void
  /** @param waitedMs - Milliseconds since the first failure. */
  readonly onFailure: (error: unknown, waitedMs: number) => void
}

/** @returns The first successful result. @throws The error from `throwIfPermanent`; the signal's reason. */
export async function retryForever<T>(
  attempt: () => Promise<T>,
  { clock, signal, throwIfPermanent, onFailure }: RetryOptions,
): Promise<T> {
  let firstMs: number | undefined
  let lastReportedMs = Number.NEGATIVE_INFINITY
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt()
    } catch (error) {
      throwIfPermanent(error)
      const nowMs = clock.now()
      firstMs ??= nowMs
      if (nowMs - lastReportedMs >= REPORT_INTERVAL_MS) {
        onFailure(error, nowMs - firstMs)
        lastReportedMs = nowMs
      }
      await sleep(clock, Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 10)), signal)
    }
  }
}
