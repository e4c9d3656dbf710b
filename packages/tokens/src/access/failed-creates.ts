/**
 * The creates of this process that failed. After the second in a row the next automatic one waits, longer after each failure: an
 * app key that is refused is no flood of calls. They are kept in memory, so a process that is started anew may try at once.
 */
import { boundedRetryAfterMs, durationText, refusalWaitMs } from '@brokerwire/core/internal'
import { isTokensError, TokensError } from '../tokens-error.ts'

export class FailedCreates {
  #failures = 0
  #atMs = 0
  #error: TokensError | undefined

  /** A create failed. One that was not sent cost the service nothing, and does not count. */
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

  /** The error for an automatic create that may not be sent yet; `undefined` if it may. */
  tooSoon(nowMs: number): TokensError<'TOKEN_CREATE_TOO_SOON'> | undefined {
    const cause = this.#error
    if (cause === undefined || this.#failures < 2) return undefined
    const askedMs = isTokensError(cause, 'TOKEN_CALL_FAILED') ? (cause.details.retryAfterMs ?? 0) : 0
    const waitMs = Math.max(refusalWaitMs(this.#failures - 1), boundedRetryAfterMs(askedMs))
    // A clock that was set back does not make the wait longer.
    const retryAfterMs = Math.min(this.#atMs, nowMs) + waitMs - nowMs
    if (retryAfterMs <= 0) return undefined
    const message = `${cause.message}; the next create is sent in ${durationText(retryAfterMs)} at the earliest`
    return new TokensError('TOKEN_CREATE_TOO_SOON', message, {
      details: { outcome: 'failed', retryAfterMs },
      retryable: true,
      cause,
    })
  }
}
