/**
 * What follows a failed attempt.
 *
 * Beside the repeats of `repeat.ts` there are two more, at most one of each for a request: after
 * `ILLEGAL_TIMESTAMP`, where the service looked at nothing but the clock, and after the token was replaced.
 */
import { type AbortSignalLike, isCoreError } from '@brokerwire/core'
import type { ReadOptions } from './client-options.ts'
import type { Answer, SignedAttempt } from './exchange.ts'
import { readHttpDate } from './http-date.ts'
import { HttpError, isHttpError } from './http-error.ts'
import type { Prepared } from './prepare.ts'
import { mayRepeat, repeatDelay } from './repeat.ts'

/** Asked after a failed attempt, with the headers of its answer where it had one. */
type NextAttempt = (
  signed: SignedAttempt,
  error: HttpError,
  headers: Answer['headers'] | undefined,
) => Promise<number>

/**
 * Decides for one request, and knows what was tried already, so that it is not tried twice.
 *
 * @returns What is asked after each failed attempt. It resolves with the milliseconds until the next one, and rejects
 * with the error where there is none, with what the token source throws, and with {@link HttpError}
 * `HTTP_CLOCK_IMPLAUSIBLE`.
 */
export function repeatsOf(
  options: ReadOptions,
  { repeat }: Prepared,
  signal: AbortSignalLike | undefined,
): NextAttempt {
  const { serverClock, accessTokens } = options
  let repeats = 0
  let isTokenTried = false
  let isClockTried = false
  return async ({ ownToken, offsetMs }, error, headers) => {
    if (!isHttpError(error, 'HTTP_UNAUTHORIZED')) {
      if (repeats < options.maxRepeats && mayRepeat(repeat, error)) {
        repeats += 1
        const delayMs = repeatDelay(error, repeats, options)
        if (delayMs !== undefined) return delayMs
      }
      throw error
    }
    const { status, serviceCode: code } = error.details
    if (code === 'ILLEGAL_TIMESTAMP') {
      if (serverClock && !isClockTried) {
        isClockTried = true
        try {
          serverClock.learn(readHttpDate(headers?.get('date'), serverClock.now()))
        } catch (thrown) {
          if (!isCoreError(thrown, 'CLOCK_IMPLAUSIBLE')) throw thrown
          throw new HttpError('HTTP_CLOCK_IMPLAUSIBLE', `${error.message}; ${thrown.message}`, {
            details: { ...error.details, ...thrown.details },
          })
        }
        // Not what `learn` returned: another request may have taught it meanwhile.
        if (serverClock.offsetMs !== offsetMs) return 0
      }
    } else if (accessTokens && ownToken) {
      const { changed } = await accessTokens.reportRejected(ownToken, { status, code }, { signal })
      if (changed) {
        // The request goes out again where a repeat is harmless.
        if (repeat !== 'always' || isTokenTried)
          throw new HttpError(error.code, error.message, { details: error.details, retryable: true })
        isTokenTried = true
        return 0
      }
    }
    throw error
  }
}
