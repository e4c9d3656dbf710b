/**
 * The limit on create requests if a new token needs a second factor: one request in five minutes, because the
 * service may send a code for each. The limit is calculated only from the stored record, in which each create is
 * recorded before it is sent.
 */
import { durationText } from '@brokerwire/core/internal'
import { TokensError } from '../tokens-error.ts'
import { accessTokenTransition, VERIFICATION_WINDOW_MS } from './machine.ts'
import type { CreateOutcome, StoredAccessToken } from './record.ts'

/**
 * Returns when the next create request is allowed if a new token needs a second factor: five minutes after the last create that
 * counts. A create counts if its token was accepted or waits for its second factor, or if its outcome is unknown. A create that
 * the service rejected does not count. If the clock is set back by five minutes or more, a create is allowed at once.
 *
 * @param record - The stored record: {@link parseStoredAccessToken}.
 * @param nowMs - Milliseconds since the epoch.
 * @returns Milliseconds since the epoch; `undefined` if a create is allowed now.
 *
 * @example
 * ```ts
 * import { nextCreateAtMs } from '@brokerwire/tokens'
 *
 * const record = { lastCreate: { atMs: 0, outcome: 'started' } } as const
 * console.log(nextCreateAtMs(record, 60_000)) // 300000
 * console.log(nextCreateAtMs(record, 300_000)) // undefined
 * ```
 */
export function nextCreateAtMs(record: StoredAccessToken, nowMs: number): number | undefined {
  const { lastCreate } = accessTokenTransition(record, { type: 'time', nowMs })
  // The result is at most five minutes after `nowMs`. If the clock was set back to a time before the last create, the
  // five minutes begin at `nowMs`.
  return lastCreate && Math.min(lastCreate.atMs, nowMs) + VERIFICATION_WINDOW_MS
}

/** Outcomes of a create for which the service may have sent a code. */
const COUNTED = ['started', 'answered', 'unknown'] as const

/**
 * Creates the error for a create request that is not allowed yet; `undefined` if it is allowed.
 *
 * @param outcomes - The outcomes that count. A caller that omits `started` waits for the lock before it creates,
 * because a started create may still be in flight.
 */
export function createTooSoon(
  record: StoredAccessToken,
  nowMs: number,
  outcomes: readonly CreateOutcome[] = COUNTED,
): TokensError<'TOKEN_CREATE_TOO_SOON'> | undefined {
  const nextMs = nextCreateAtMs(record, nowMs)
  const { lastCreate } = record
  if (nextMs === undefined || lastCreate === undefined || !outcomes.includes(lastCreate.outcome))
    return undefined
  const outcome = lastCreate.outcome === 'answered' ? 'answered' : 'unknown'
  const retryAfterMs = nextMs - nowMs
  const ago = durationText(Math.max(0, nowMs - lastCreate.atMs))
  const what =
    outcome === 'answered'
      ? `the service responded to a create request ${ago} ago`
      : `a create request was sent ${ago} ago and its outcome is unknown`
  const message = `${what}; the next one is allowed in ${durationText(retryAfterMs)}`
  return new TokensError('TOKEN_CREATE_TOO_SOON', message, {
    details: { outcome, retryAfterMs },
    retryable: true,
  })
}
