/**
 * The error of this package.
 *
 * An error of another library never becomes a `cause`, because its message may quote a token. Only its name and
 * code are kept, in the details. Errors of this toolkit contain no secrets and stay in the chain.
 */
import {
  BrokerwireError,
  type BrokerwireErrorOptions,
  errorGuard,
  escapeControlChars,
} from '@brokerwire/core'
import { optionMessage } from '@brokerwire/core/internal'
import type { TokenCall, TokenCallFailureKind, TokenStatus } from './types.ts'

/** The details of each error code. */
export interface TokensErrorDetails {
  /**
   * An option or argument is wrong.
   * @retryable no
   * @remedy Correct the option that `details.option` names.
   * @message renew must be "refresh" or "create"; received "both"
   */
  TOKEN_OPTION_INVALID: {
    /** Path of the option or argument. */
    readonly option: string
    /** The accepted values, in words. */
    readonly expected: string
    /** The type of the received value, or the value if it cannot be secret. */
    readonly received: string
  }
  /**
   * The response does not have the form that the specification describes.
   * @retryable no
   * @remedy Report it, then call again. After a create in production, call `renew()` five minutes later.
   * @message status of the service's response must be PENDING or NORMAL; received INVALID
   */
  TOKEN_RESPONSE_INVALID: {
    /** Name of the field in the response. */
    readonly field: string
    /** The expected value, in words. */
    readonly expected: string
    /** The type of the received value, never the value. */
    readonly received: string
  }
  /**
   * A call to the token endpoints failed.
   * @retryable yes, unless the service rejected the call or the response cannot be read
   * @remedy See `details.kind`, `details.status` and `details.code`.
   * @message creating an access token failed: the service rejected it, status 401 (Error). Check the app key, the app
   *   secret, the region, the environment and this host's clock
   */
  TOKEN_CALL_FAILED: {
    /** The call that failed. */
    readonly call: TokenCall
    /** The state of the request, as far as it is known. */
    readonly kind: TokenCallFailureKind
    /** HTTP status of the response; `undefined` if there was none. */
    readonly status: number | undefined
    /** The service's own error code, if it sent one. */
    readonly code: string | undefined
    /** The wait of `Retry-After` in milliseconds, if the response had one. */
    readonly retryAfterMs: number | undefined
    /** Name of the error that caused the failure. */
    readonly errorName: string
  }
  /**
   * The token waits for its second factor. `deadlineMs`: end of the verification window, milliseconds since the
   * epoch.
   * @retryable yes
   * @remedy Ask the person to confirm the token in the app of the service, then call again.
   * @message the token waits for its second factor until 2026-01-01T00:05:00.000Z. Enter the code in the broker's
   *   app, then call get() again
   */
  TOKEN_PENDING: {
    /** End of the verification window, milliseconds since the epoch. */
    readonly deadlineMs: number
  }
  /**
   * The verification window ended without a second factor: the service returned EXPIRED.
   * @retryable no
   * @remedy Call `renew()` when a person is available.
   * @message the second factor was not entered within five minutes. Call renew() for a new token
   */
  TOKEN_VERIFICATION_EXPIRED: {
    /** Start of the verification window, milliseconds since the epoch. */
    readonly createdAtMs: number
  }
  /**
   * `pollTimeoutMs` passed and the token is still pending. The token is kept; the next call continues to poll.
   * @retryable yes
   * @remedy Call again: the token is kept.
   * @message no code was entered within 5 min (pollTimeoutMs); the token is still PENDING. Call get() to continue
   *   waiting
   */
  TOKEN_POLL_TIMEOUT: {
    /** The option `pollTimeoutMs` of the access tokens. */
    readonly pollTimeoutMs: number
    /** End of the verification window, milliseconds since the epoch. */
    readonly deadlineMs: number
    /** The last status that the service returned. */
    readonly lastStatus: TokenStatus
  }
  /**
   * No token is usable, or the new token of a renewal ended and the old one stays in use. A new token needs a
   * second factor: call `renew()` when a person is available. `lastStatus`: status of the token that ended.
   * @retryable no
   * @remedy Call `renew()` when a person is available.
   * @message the last token is EXPIRED, and a new one needs a second factor. Call renew() when a person can enter a
   *   code
   */
  TOKEN_SECOND_FACTOR_REQUIRED: {
    /** The last status of the token that ended. */
    readonly lastStatus: TokenStatus
  }
  /**
   * A new create request is not allowed yet. Either the last one is less than five minutes old (`answered`, or
   * `unknown` if its outcome is unknown), or several creates of this process failed in a row (`failed`).
   * `retryAfterMs` is the wait in milliseconds.
   * @retryable yes, after `details.retryAfterMs`
   * @remedy Wait, then call again.
   * @message a create request was sent 1 min ago and its outcome is unknown; the next one is allowed in 4 min
   */
  TOKEN_CREATE_TOO_SOON: {
    /** The outcome of the last create request, as far as it is known. */
    readonly outcome: 'answered' | 'unknown' | 'failed'
    /** Milliseconds until a create request is allowed. */
    readonly retryAfterMs: number
  }
  /**
   * The call would have to wait longer than `maxWaitMs`, or was stopped while it waited in the rate limiter.
   * If `get()` or `renew()` made the call, this error is the `cause` of their `TOKEN_CALL_FAILED`. `retryAfterMs`: the shortest possible wait, in milliseconds.
   * @retryable yes, after `details.retryAfterMs`
   * @remedy Wait, then call again.
   * @message the client-create call was stopped while it waited in the rate limiter, for 45 s or more
   */
  TOKEN_RATE_LIMITED: {
    /** The call that would have to wait. */
    readonly call: TokenCall
    /** The shortest possible wait in milliseconds. */
    readonly retryAfterMs: number
  }
  /**
   * A request of an operation would have to wait longer than `maxWaitMs`. `retryAfterMs`: the shortest possible wait, in milliseconds.
   * @retryable yes, after `details.retryAfterMs`
   * @remedy Wait, then call again.
   * @message the rate limiter (2 requests in 2 s for each app key) lets this orders.get request pass in 2 s, which is
   *   longer than maxWaitMs (1 s)
   */
  OPERATION_RATE_LIMITED: {
    /** Name of the operation, such as `orders.place`. */
    readonly operation: string
    /** The shortest possible wait in milliseconds. */
    readonly retryAfterMs: number
  }
  /**
   * The store failed, or too many processes changed the record at the same time.
   * @retryable as in the store's error, else yes
   * @remedy Check the store: `details.operation`, `details.errorName` and `details.errorCode`.
   * @message writing to the store failed: Error ENOSPC. The store's own message is not shown because it may contain a
   *   token
   */
  TOKEN_STORE_FAILED: {
    /** The operation of the store that failed. */
    readonly operation: 'get' | 'compareAndSet' | 'lock'
    /** Name of the error that caused the failure. */
    readonly errorName: string
    /** Code of the error that caused the failure, if it has one. */
    readonly errorCode: string | undefined
  }
  /**
   * The stored record cannot be read.
   * @retryable no
   * @remedy By `details.reason`: call `renew()`, or delete the record of a pair; update this package; open the store
   *   with its cipher.
   * @message the stored record is damaged (accessToken). For an access token call renew(), which replaces it; delete
   *   the record of a client token
   */
  TOKEN_RECORD_INVALID: {
    /** Why the record cannot be read. */
    readonly reason: 'malformed' | 'newer-format' | 'sealed'
    /** Name of the field in the record. */
    readonly field: string
  }
  /**
   * The object was closed with `close()`.
   * @retryable no
   * @remedy Create a new object.
   * @message get() was aborted by close() or called after it. Create the access tokens again
   */
  TOKEN_CLOSED: {
    /** The method that was called. */
    readonly operation: string
  }
}

/** Stable codes of {@link TokensError}. */
export type TokensErrorCode = keyof TokensErrorDetails

/**
 * The error of `@brokerwire/tokens`. No message, detail or cause contains a token, so `toJSON()` is safe to log. An error of your HTTP
 * client or store is shown by its name and code only, because its message may contain a token.
 */
export class TokensError<C extends TokensErrorCode = TokensErrorCode> extends BrokerwireError<
  C,
  TokensErrorDetails[C]
> {
  /** Name of the error class. */
  override readonly name = 'TokensError'

  constructor(code: C, message: string, options: BrokerwireErrorOptions<TokensErrorDetails[C]>) {
    super('tokens', code, message, options)
  }
}

/**
 * Whether `value` is an error of this package and, if you pass a code, has that code.
 *
 * @example
 * ```ts
 * import { isTokensError } from '@brokerwire/tokens'
 *
 * declare function work(): Promise<void>
 *
 * try {
 *   await work()
 * } catch (error) {
 *   if (!isTokensError(error)) throw error
 *   console.log(error.code, error.retryable)
 * }
 * ```
 */
export const isTokensError = errorGuard<{ [C in TokensErrorCode]: TokensError<C> }>('tokens')

/** @internal The name or code of another library's error, made printable. */
export const sanitize = (text: string): string => escapeControlChars(text, 100)

/** @internal The message of another error of this toolkit, made printable and bounded. */
export const sanitizeMessage = (text: string): string => escapeControlChars(text, 400)

/** @internal */
export function responseInvalid(
  field: string,
  expected: string,
  received: string,
): TokensError<'TOKEN_RESPONSE_INVALID'> {
  const message = `${field} of the service's response must be ${expected}; received ${received}`
  return new TokensError('TOKEN_RESPONSE_INVALID', message, { details: { field, expected, received } })
}

/** @internal Creates the error for an invalid option, in the form that core's option checks call. */
export function optionInvalid(
  option: string,
  expected: string,
  received: string,
  message = optionMessage(option, expected, received),
): TokensError {
  return new TokensError('TOKEN_OPTION_INVALID', message, { details: { option, expected, received } })
}
