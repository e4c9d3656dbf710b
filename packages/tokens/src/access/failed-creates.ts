/**
 * Failed creates of this process. After the second failure in a row, automatic creates are rejected for a time
 * that gets longer with each failure, so that a rejected app key does not cause many calls. The state is kept in
 * memory, so a restarted process may send a create at once.
 */
import { boundedRetryAfterMs, durationText, rejectionWaitMs } from '@brokerwire/core/internal'
import { isTokensError, TokensError } from '../tokens-error.ts'

export class FailedCreates {
  #failures = 0
  #atMs = 0
  #error: TokensError | undefined

  /** Records a failed create. A request that was not sent does not count. */
  failed(error: TokensError, nowMs: number): void {
    if (isTokensError(error, 'TOKEN_CALL_FAILED') && error.details.kind === 'not-sent') return
    this.#failures += 1
    this.#atMs = nowMs
    this.#error = error
  }

  succeeded(): void {
    this.#failures = 0
    this.#error = undefined
  }

  /** The error for an automatic create that is not allowed yet; `undefined` if it is allowed. */
  tooSoon(nowMs: number): TokensError<'TOKEN_CREATE_TOO_SOON'> | undefined {
    const cause = this.#error
    if (cause === undefined || this.#failures < 2) return undefined
    const askedMs = isTokensError(cause, 'TOKEN_CALL_FAILED') ? (cause.details.retryAfterMs ?? 0) : 0
    const waitMs = Math.max(rejectionWaitMs(this.#failures - 1), boundedRetryAfterMs(askedMs))
    // If the clock was set back, the wait starts again at the new time.
    this.#atMs = Math.min(this.#atMs, nowMs)
    const retryAfterMs = this.#atMs + waitMs - nowMs
    if (retryAfterMs <= 0) return undefined
    const message = `${cause.message}; the next create is sent in ${durationText(retryAfterMs)} at the earliest`
    return new TokensError('TOKEN_CREATE_TOO_SOON', message, {
      details: { outcome: 'failed', retryAfterMs },
      retryable: true,
      cause,
    })
  }
}
