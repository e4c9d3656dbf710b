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

/** What was tried already, so that it is not tried twice. */
export interface Tried {
  clock: boolean
  token: boolean
  repeats: number
}

/** A failed attempt. */
export interface Failed {
  readonly prepared: Prepared
  readonly signed: SignedAttempt
  readonly answer: Answer | undefined
  readonly error: HttpError
}

/**
 * @returns Milliseconds until the next attempt.
 * @throws The error, where there is none; what the token source throws.
 */
export async function nextAttempt(
  options: ReadOptions,
  failed: Failed,
  tried: Tried,
  signal: AbortSignalLike | undefined,
): Promise<number> {
  const { error, prepared } = failed
  if (isHttpError(error, 'HTTP_UNAUTHORIZED')) {
    if (error.details.serviceCode !== 'ILLEGAL_TIMESTAMP') {
      // Awaited here: workerd reports a promise that rejects before anybody waits for it.
      return await afterRejection(options, failed, error, tried, signal)
    }
    if (tried.clock || !learnClock(options, failed, error)) throw error
    tried.clock = true
    return 0
  }
  if (tried.repeats >= options.maxRepeats || !mayRepeat(prepared.repeat, error)) throw error
  tried.repeats += 1
  const delayMs = repeatDelay(error, tried.repeats, options)
  if (delayMs === undefined) throw error
  return delayMs
}

/**
 * @returns Whether the clock is another one than the request was signed with.
 * @throws {@link HttpError} `HTTP_CLOCK_IMPLAUSIBLE`
 */
function learnClock(
  { serverClock }: ReadOptions,
  { answer, signed }: Failed,
  refusal: HttpError<'HTTP_UNAUTHORIZED'>,
): boolean {
  if (serverClock === undefined) return false
  try {
    serverClock.learn(readHttpDate(answer?.headers.get('date'), serverClock.now()))
  } catch (error) {
    if (!isCoreError(error, 'CLOCK_IMPLAUSIBLE')) throw error
    throw new HttpError('HTTP_CLOCK_IMPLAUSIBLE', `${refusal.message}; ${error.message}`, {
      details: { ...refusal.details, ...error.details },
    })
  }
  // Not what `learn` returned: another request may have taught it meanwhile.
  return serverClock.offsetMs !== signed.offsetMs
}

/** Reports the rejection; the request goes out again where a repeat is harmless and there is another token. */
async function afterRejection(
  { accessTokens }: ReadOptions,
  { prepared, signed }: Failed,
  error: HttpError<'HTTP_UNAUTHORIZED'>,
  tried: Tried,
  signal: AbortSignalLike | undefined,
): Promise<number> {
  const { status, serviceCode: code } = error.details
  if (accessTokens === undefined || signed.ownToken === undefined) throw error
  const { changed } = await accessTokens.reportRejected(signed.ownToken, { status, code }, { signal })
  if (!changed) throw error
  if (prepared.repeat !== 'always' || tried.token) {
    throw new HttpError(error.code, error.message, { details: error.details, retryable: true })
  }
  tried.token = true
  return 0
}
