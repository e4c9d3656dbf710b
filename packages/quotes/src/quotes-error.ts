/** The error of this package. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
import { type ConsumerErrors, optionMessage } from '@brokerwire/core/internal'

/** What each code says beside its message. */
export interface QuotesErrorDetails {
  /** An option is wrong: which one, and what was expected. Never the value. */
  QUOTES_OPTION_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /** More symbols than all connections together carry. */
  QUOTES_TOO_MANY_SYMBOLS: { readonly symbols: number; readonly max: number }
  /** The service refused the credentials: on MQTT, on the subscribe call, or when a token for it was asked for. */
  QUOTES_AUTH_REJECTED: {
    /** With `token` the error of the token's source is the cause. */
    readonly signal: 'connack' | 'call' | 'token'
    /** CONNACK's return code, or the HTTP status. */
    readonly status: number | undefined
    /** The service's code, or what the return code is called. */
    readonly code: string
  }
  /** The service refused the connection in a way that another attempt does not change. */
  QUOTES_REFUSED: { readonly connackCode: number; readonly connackName: string }
  /** The caller's limit of attempts was reached. */
  QUOTES_GAVE_UP: { readonly attempts: number; readonly reason: string }
  /** The subscribe call cannot be made, or nobody answers at its path. */
  QUOTES_CALL_FAILED: { readonly code: string; readonly status: number | undefined }
  /** The hook `login` failed: its error is the cause. */
  QUOTES_LOGIN_FAILED: Readonly<Record<never, never>>
  /** A second `for await` or `batches()` over the same quotes, or `next()` after `batches()`. */
  QUOTES_IN_USE: Readonly<Record<never, never>>
  /** The quotes have ended, or their group was closed before they began. */
  QUOTES_CLOSED: Readonly<Record<never, never>>
  /** A payload is no message of its topic. Never thrown: `decode()` hands it out. */
  QUOTES_PAYLOAD_INVALID: { readonly kind: string; readonly bytes: number }
}

/** Stable codes of {@link QuotesError}. */
export type QuotesErrorCode = keyof QuotesErrorDetails

/** The error of `@brokerwire/quotes`. */
export class QuotesError<C extends QuotesErrorCode = QuotesErrorCode> extends BrokerwireError<
  C,
  QuotesErrorDetails[C]
> {
  override readonly name = 'QuotesError'

  constructor(code: C, message: string, options: BrokerwireErrorOptions<QuotesErrorDetails[C]>) {
    super('quotes', code, message, options)
  }
}

/**
 * Whether `value` is an error of this package, and of this code where one is given.
 *
 * @example
 * ```ts
 * import { isQuotesError } from '@brokerwire/quotes'
 *
 * declare function work(): Promise<void>
 *
 * try {
 *   await work()
 * } catch (error) {
 *   if (!isQuotesError(error)) throw error
 *   console.log(error.code, error.retryable)
 * }
 * ```
 */
export const isQuotesError = errorGuard<{ [C in QuotesErrorCode]: QuotesError<C> }>('quotes')

const inUse = (): QuotesError =>
  new QuotesError('QUOTES_IN_USE', 'the quotes are already being read: make others for each reader', {
    details: {},
  })
const closed = (): QuotesError =>
  new QuotesError('QUOTES_CLOSED', 'the quotes have ended: make new ones', { details: {} })

/** The error for a wrong option. */
export function optionInvalid(
  option: string,
  expected: string,
  received: string,
  message = optionMessage(option, expected, received),
): QuotesError {
  return new QuotesError('QUOTES_OPTION_INVALID', message, { details: { option, expected, received } })
}

/** Errors of the consumer of quotes. */
export const CONSUMER_ERRORS: ConsumerErrors = { optionInvalid, inUse, closed }
