/**
 * What follows a failed attempt.
 *
 * Beside the repeats of `repeat.ts` there are two more, at most one of each for a request: after
 * `ILLEGAL_TIMESTAMP`, where the service looked at nothing but the clock, and after the token was replaced.
 */
import { type AbortSignalLike, isCoreError, type ServerClock } from '@brokerwire/core'
import type { ReadOptions } from './client-options.ts'
import type { Answer, SignedAttempt } from './exchange.ts'
import { readHttpDate } from './http-date.ts'
import { HttpError, isHttpError } from './http-error.ts'
import type { Prepared } from './prepare.ts'
import { mayRepeat, repeatDelay } from './repeat.ts'

/** What an attempt came to that failed. */
interface Failed {
  readonly headers?: Answer['headers'] | undefined
  readonly error: HttpError
}

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
): (signed: SignedAttempt, failed: Failed) => Promise<number> {
  const { serverClock, accessTokens } = options
  let repeats = 0
  let isTokenTried = false
  let isClockTried = false
  return async ({ ownToken, offsetMs }, { headers, error }) => {
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
        learnClock(serverClock, headers?.get('date'), error)
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

function learnClock(
  serverClock: ServerClock,
  date: string | null | undefined,
  { message, details }: HttpError<'HTTP_UNAUTHORIZED'>,
): void {
  try {
    serverClock.learn(readHttpDate(date, serverClock.now()))
  } catch (error) {
    if (!isCoreError(error, 'CLOCK_IMPLAUSIBLE')) throw error
    throw new HttpError('HTTP_CLOCK_IMPLAUSIBLE', `${message}; ${error.message}`, {
      details: { ...details, ...error.details },
    })
  }
}
