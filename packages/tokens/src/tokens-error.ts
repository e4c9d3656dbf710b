/**
 * The error of this package.
 *
 * A foreign error never becomes a `cause`: a store's or a client's own message may quote a token. Its name and code
 * are kept in the details instead; errors of the toolkit are safe and stay in the chain.
 */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard, printable } from '@brokerwire/core'
import { optionMessage } from '@brokerwire/core/internal'
import type { TokenCall, TokenCallFailureKind, TokenStatus } from './types.ts'

/** What each code says beside its message. */
export interface TokensErrorDetails {
  /** An option or argument is wrong. */
  TOKEN_OPTION_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /** The service's answer is not the record that the specification describes. */
  TOKEN_RESPONSE_INVALID: { readonly field: string; readonly expected: string; readonly received: string }
  /** A call to the token endpoints failed. */
  TOKEN_CALL_FAILED: {
    readonly call: TokenCall
    readonly kind: TokenCallFailureKind
    readonly status: number | undefined
    readonly code: string | undefined
    readonly retryAfterMs: number | undefined
    readonly errorName: string
  }
  /** The token awaits its second factor. `deadlineMs`: when the verification window ends, epoch milliseconds. */
  TOKEN_PENDING: { readonly deadlineMs: number }
  /** The verification window ended before the second factor was given: the service says EXPIRED. */
  TOKEN_VERIFICATION_EXPIRED: { readonly createdAtMs: number }
  /** The poll's own timeout ended while the service had not decided. The token stays; a later call asks again. */
  TOKEN_POLL_TIMEOUT: {
    readonly pollTimeoutMs: number
    readonly deadlineMs: number
    readonly lastStatus: TokenStatus
  }
  /** There is no usable token, and a new one needs a person: call `renew()` when somebody is there. */
  TOKEN_SECOND_FACTOR_REQUIRED: { readonly lastStatus: TokenStatus }
  /**
   * In the last five minutes a create was answered, or its outcome is unknown, also because its process was killed; or creates of
   * this process failed in a row, and the wait after that is not over. `retryAfterMs`: until the next one is allowed.
   */
  TOKEN_CREATE_TOO_SOON: {
    readonly outcome: 'answered' | 'unknown' | 'failed'
    readonly retryAfterMs: number
  }
  /** The service asked to wait for longer than a call may. `retryAfterMs`: the shortest time that it will take. */
  TOKEN_RATE_LIMITED: { readonly call: TokenCall; readonly retryAfterMs: number }
  /** The store failed, or its record changed faster than it could be followed. */
  TOKEN_STORE_FAILED: {
    readonly operation: 'get' | 'compareAndSet' | 'lock'
    readonly errorName: string
    readonly errorCode: string | undefined
  }
  /** The stored record cannot be read. */
  TOKEN_RECORD_INVALID: { readonly reason: 'malformed' | 'newer-format' | 'sealed'; readonly field: string }
  /** The object was disposed. */
  TOKEN_CLOSED: { readonly operation: string }
}

/** Stable codes of {@link TokensError}. */
export type TokensErrorCode = keyof TokensErrorDetails

/** The error of `@brokerwire/tokens`. */
export class TokensError<C extends TokensErrorCode = TokensErrorCode> extends BrokerwireError<
  C,
  TokensErrorDetails[C]
> {
  override readonly name = 'TokensError'

  constructor(code: C, message: string, options: BrokerwireErrorOptions<TokensErrorDetails[C]>) {
    super('tokens', code, message, options)
  }
}

/**
 * Whether `value` is an error of this package, and of this code where one is given.
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

/** @internal The name or the code of a foreign error, as it may be shown. */
export const shown = (text: string): string => printable(text, 100)

/** @internal The message of another error of the toolkit, as part of a message: printable and bounded. */
export const shownReason = (text: string): string => printable(text, 400)

/** @internal */
export function answerInvalid(
  field: string,
  expected: string,
  received: string,
): TokensError<'TOKEN_RESPONSE_INVALID'> {
  const message = `${field} of the service's answer must be ${expected}; received ${received}`
  return new TokensError('TOKEN_RESPONSE_INVALID', message, { details: { field, expected, received } })
}

/** @internal The failure for the option checks of core. */
export function optionInvalid(
  option: string,
  expected: string,
  received: string,
  message = optionMessage(option, expected, received),
): TokensError {
  return new TokensError('TOKEN_OPTION_INVALID', message, { details: { option, expected, received } })
}
