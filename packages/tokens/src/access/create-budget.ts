/**
 * The budget of creates if a new token needs a person: one in five minutes, because the service may have sent a code for
 * each of them. The record in the store is the only memory of it: a create is noted there before it is sent.
 */
import { durationText } from '@brokerwire/core/internal'
import { TokensError } from '../tokens-error.ts'
import { accessTokenTransition, VERIFICATION_WINDOW_MS } from './machine.ts'
import type { CreateOutcome, StoredAccessToken } from './record.ts'

/**
 * When the budget of creates in production allows the next one: five minutes after the last create whose token was
 * accepted, awaits its second factor, or is unknown. Creates that the service refused by a status do not count.
 *
 * @param record - What the store holds: {@link parseStoredAccessToken}.
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
  // A clock that was set back makes nobody wait longer than five minutes.
  return lastCreate && Math.min(lastCreate.atMs, nowMs) + VERIFICATION_WINDOW_MS
}

/** Every outcome of a create that may have asked a person for a code. */
const COUNTED = ['started', 'answered', 'unknown'] as const

/**
 * The error for a create that may not be sent yet; `undefined` if it may.
 *
 * @param outcomes - The outcomes that count. Without `started`, a create may be in flight: the lock is waited for first.
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
      ? `the service answered a create request ${ago} ago`
      : `a create request was sent ${ago} ago and its outcome is unknown`
  const message = `${what}; the next one is allowed in ${durationText(retryAfterMs)}`
  return new TokensError('TOKEN_CREATE_TOO_SOON', message, {
    details: { outcome, retryAfterMs },
    retryable: true,
  })
}
