/**
 * Fifth stage: decides whether and when a failed request is sent again.
 *
 * In addition to the retries of the request's rule there are two other kinds of retry, each at most once for
 * a request: after `ILLEGAL_TIMESTAMP`, because the service had checked only the clock, and after the token
 * was replaced.
 */
import type { Secret, ServerClock } from '@brokerwire/core'
import type { Failed } from './classify.ts'
import type { ClientSettings } from './client-options.ts'
import { HttpError, type HttpErrorCode, isHttpError, statusDetails } from './http-error.ts'
import type { NormalizedRequest } from './normalize.ts'
import type { RetryRule } from './request.ts'
import { syncClock } from './server-time.ts'
import type { SignedRequest } from './sign.ts'

/** Limits of the retries that the rule allows. */
export interface RetryPolicy {
  /** Maximum number of retries of one request. */
  readonly maxRetries: number
  /**
   * The longest wait before a retry, in milliseconds. If the service asks for a longer wait, there is no
   * retry.
   */
  readonly maxRetryDelayMs: number
  /** Returns numbers from 0 up to but not including 1. */
  readonly random: () => number
}

/** Retries of a request so far. */
export interface RetryState {
  /** Retries that the rule allowed. */
  readonly retries: number
  readonly isClockSynced: boolean
  readonly isTokenReplaced: boolean
}

/** The next step after a failed attempt. */
export type RetryStep =
  | { readonly type: 'give-up' }
  | { readonly type: 'retry'; readonly delayMs: number }
  /** Sync the clock with the service, and retry at once if its offset changed. */
  | { readonly type: 'sync-clock'; readonly error: Unauthorized; readonly serverClock: ServerClock }
  /**
   * Report the rejected token. If the provider has a new token, retry at once if `mayRetry` is set; otherwise
   * only the caller may retry.
   */
  | {
      readonly type: 'report-token'
      readonly error: Unauthorized
      readonly token: Secret
      readonly mayRetry: boolean
    }

type Unauthorized = HttpError<'HTTP_UNAUTHORIZED'>

/** Facts for {@link nextStep}. */
export interface RetryFacts {
  readonly error: HttpError
  readonly rule: RetryRule
  readonly state: RetryState
  readonly serverClock: ServerClock | undefined
  /** The token that the request carried, if it came from the client's token provider. */
  readonly providedToken: Secret | undefined
}

const GIVE_UP: RetryStep = { type: 'give-up' }

/** Decides the next step. Pure. */
export function nextStep(facts: RetryFacts, policy: RetryPolicy): RetryStep {
  const { error, rule, state, serverClock, providedToken } = facts
  if (state.retries < policy.maxRetries && isRetryable(rule, error)) {
    const delayMs = retryDelay(error, state.retries + 1, policy)
    if (delayMs !== undefined) return { type: 'retry', delayMs }
  }
  if (!isHttpError(error, 'HTTP_UNAUTHORIZED')) return GIVE_UP
  if (error.details.serviceCode === 'ILLEGAL_TIMESTAMP')
    return serverClock && !state.isClockSynced ? { type: 'sync-clock', error, serverClock } : GIVE_UP
  const mayRetry = rule === 'always' && !state.isTokenReplaced
  return providedToken ? { type: 'report-token', error, token: providedToken, mayRetry } : GIVE_UP
}

/**
 * Whether `rule` allows another attempt after `error`. If the host may have sent the request twice, a 429 does
 * not show what became of the other one.
 */
export function isRetryable(rule: RetryRule, error: HttpError): boolean {
  if (rule === 'never' || !error.retryable) return false
  if (rule === 'always') return true
  if (isHttpError(error, 'HTTP_RATE_LIMITED'))
    return error.details.retryAfterMs !== undefined && error.details.sentOnce
  return error.code === 'HTTP_NOT_SENT'
}

const FIRST_DELAY_MS = 250

/**
 * Returns the wait before a retry: the time that `Retry-After` states, otherwise a random time from half of a
 * bound to the bound. The bound doubles with each retry.
 *
 * @param retry - 1 for the first retry.
 * @returns Milliseconds; `undefined` if the service asks for a longer wait than the policy allows.
 */
export function retryDelay(
  error: HttpError,
  retry: number,
  policy: Pick<RetryPolicy, 'maxRetryDelayMs' | 'random'>,
): number | undefined {
  const requestedMs = statusDetails(error)?.retryAfterMs
  if (requestedMs !== undefined) return requestedMs > policy.maxRetryDelayMs ? undefined : requestedMs
  const boundMs = Math.min(FIRST_DELAY_MS * 2 ** (retry - 1), policy.maxRetryDelayMs)
  return Math.floor(boundMs / 2 + (policy.random() * boundMs) / 2)
}

/**
 * Returns the error of a request whose last attempt was not sent, and whose earlier attempt was. The code is
 * that of the earlier attempt, because `HTTP_NOT_SENT` means that nothing happened at the service.
 */
const notSentAgain = ({ code, message, details }: HttpError, last: HttpError): HttpError =>
  new HttpError(code, `${message}; the next attempt failed: ${last.message}`, {
    details,
    retryable: last.retryable,
  })

/** Codes of attempts that were not sent. The last two are of the option `headers`. */
const NOT_SENT: readonly HttpErrorCode[] = ['HTTP_NOT_SENT', 'HTTP_OPTION_INVALID', 'HTTP_HEADER_FORBIDDEN']

/** Decides about the retries of one request. */
export interface Retrier {
  /**
   * Returns the milliseconds until the next attempt.
   *
   * If there is no further attempt, it rejects with the error of the failed attempt, an error of the token
   * provider, or {@link HttpError} `HTTP_CLOCK_IMPLAUSIBLE`.
   */
  delayBeforeRetry(failed: Failed, signed: SignedRequest): Promise<number>
}

/** Executes the steps of {@link nextStep}. */
export function createRetrier(settings: ClientSettings, request: NormalizedRequest): Retrier {
  const { serverClock, accessTokens } = settings
  const { rule, signal } = request
  let state: RetryState = { retries: 0, isClockSynced: false, isTokenReplaced: false }
  /** The error of the last attempt that was sent. */
  let sentError: HttpError | undefined
  return {
    async delayBeforeRetry({ error, date }, { providedToken, clockOffsetMs }) {
      if (!NOT_SENT.includes(error.code)) sentError = error
      const step = nextStep({ error, rule, state, serverClock, providedToken }, settings)
      switch (step.type) {
        case 'retry':
          state = { ...state, retries: state.retries + 1 }
          return step.delayMs
        case 'sync-clock':
          state = { ...state, isClockSynced: true }
          if (syncClock(step.serverClock, step.error, date, clockOffsetMs)) return 0
          break
        case 'report-token': {
          const { code, message, details } = step.error
          const rejection = { status: details.status, code: details.serviceCode }
          const outcome = await accessTokens?.reportRejected(step.token, rejection, { signal })
          if (!outcome?.changed) break
          // `retryable` is set, because the caller may send the request again with the new token.
          if (!step.mayRetry) throw new HttpError(code, message, { details, retryable: true })
          state = { ...state, isTokenReplaced: true }
          return 0
        }
      }
      throw sentError === undefined || sentError === error ? error : notSentAgain(sentError, error)
    },
  }
}
