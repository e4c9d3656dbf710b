/** The error class of this package. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
import { type AsyncStreamErrors, optionMessage } from '@brokerwire/core/internal'

/** The `details` of each error code. */
export interface QuotesErrorDetails {
  /**
   * An option is invalid. The details never contain its value.
   * @retryable no
   * @remedy Correct the option that `details.option` names.
   * @message tls.ca must not be set here: it needs TCP on Node, Deno or Bun
   */
  QUOTES_OPTION_INVALID: {
    /** Path of the option, such as `supervision.keepAliveMs`. */
    readonly option: string
    /** The accepted values, in words. */
    readonly expected: string
    /** The type of the received value, or the value if it cannot be secret. */
    readonly received: string
  }
  /**
   * There are more symbols than all connections together can take.
   * @retryable no
   * @remedy Subscribe to fewer symbols, or raise `maxConnections` if your app key allows more.
   * @message selection must have at most 200 symbols (2 connections of 100); received 201. Remove symbols, or raise
   *   maxConnections if your app key allows more
   */
  QUOTES_TOO_MANY_SYMBOLS: {
    /** Number of the desired symbols. */
    readonly symbols: number
    /** The most symbols that all connections can take. */
    readonly max: number
  }
  /**
   * The service rejected the credentials: in CONNACK, in the subscribe call, or in the request for its token.
   * @retryable no
   * @remedy Check the app key, the app secret and the access token, and that both addresses belong to one
   *   environment. `details.signal` is the source of the rejection.
   * @message the service refused the connection (app-key-invalid): check the app key, and whether mqttUrl belongs to
   *   its environment
   */
  QUOTES_AUTH_REJECTED: {
    /** The request that was rejected. With `token`, `cause` is the error of the token provider. */
    readonly signal: 'connack' | 'call' | 'token'
    /** CONNACK's return code, or the HTTP status. */
    readonly status: number | undefined
    /** The service's code, or the name of the return code. */
    readonly code: string
  }
  /**
   * CONNACK refused the connection, and a retry does not help.
   * @retryable no
   * @remedy Report it: this is a bug of the package.
   * @message the service refused the connection (CONNACK 1, protocol-version); a retry does not help
   */
  QUOTES_REFUSED: {
    /** CONNACK's return code. */
    readonly connackCode: number
    /** Name of the return code. */
    readonly connackName: string
  }
  /**
   * `supervision.maxAttempts` was reached.
   * @retryable yes
   * @remedy Call `createQuotes()` again, or raise `supervision.maxAttempts`.
   * @message gave up after 5 attempts (supervision.maxAttempts); last reason: connect-timeout
   */
  QUOTES_GAVE_UP: {
    /** Number of attempts that were made. */
    readonly attempts: number
    /** The reason of the last failure. */
    readonly reason: string
  }
  /**
   * The subscribe call cannot be sent, or its path does not exist.
   * @retryable no
   * @remedy Check `paths` and the host of `http`. See the `cause`.
   * @message the subscribe call failed with status 404: set the option "paths", and check the host of "http"
   */
  QUOTES_CALL_FAILED: {
    /** The service's code, or the error code of this toolkit. */
    readonly code: string
    /** HTTP status; `undefined` if the call was not sent. */
    readonly status: number | undefined
  }
  /**
   * The hook `login` failed. Its error is the `cause`.
   * @retryable no
   * @remedy Correct your hook: its error is the `cause`.
   * @message the hook login failed: login: password must be a non-empty string of at most 65,535 bytes without NUL;
   *   received undefined
   */
  QUOTES_LOGIN_FAILED: Readonly<Record<never, never>>
  /**
   * A second `for await` or `batches()` over the same quotes, or `next()` after `batches()`.
   * @retryable no
   * @remedy Call `createQuotes()` for each consumer.
   * @message quotes must have one consumer. Call createQuotes() for each consumer
   */
  QUOTES_IN_USE: Readonly<Record<never, never>>
  /**
   * The quotes have ended, or their group was closed before they started.
   * @retryable no
   * @remedy Call `createQuotes()` again.
   * @message quotes must be open. Call createQuotes() again
   */
  QUOTES_CLOSED: Readonly<Record<never, never>>
  /**
   * A payload is not a message of its topic. Never thrown: `decode()` returns it.
   * @retryable no
   * @remedy Keep the bytes of the item.
   * @message payload must be a message of kind quote; received 2 bytes. See "raw"
   */
  QUOTES_PAYLOAD_INVALID: {
    /** Kind of the message, from its topic. */
    readonly kind: string
    /** Length of the payload in bytes. */
    readonly bytes: number
  }
}

/** Stable codes of {@link QuotesError}. */
export type QuotesErrorCode = keyof QuotesErrorDetails

/** The error class of `@brokerwire/quotes`. */
export class QuotesError<C extends QuotesErrorCode = QuotesErrorCode> extends BrokerwireError<
  C,
  QuotesErrorDetails[C]
> {
  /** Name of the error class. */
  override readonly name = 'QuotesError'

  constructor(code: C, message: string, options: BrokerwireErrorOptions<QuotesErrorDetails[C]>) {
    super('quotes', code, message, options)
  }
}

/**
 * Whether `value` is an error of this package, and has the code if one is given.
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
  new QuotesError('QUOTES_IN_USE', 'quotes must have one consumer. Call createQuotes() for each consumer', {
    details: {},
  })
const closed = (): QuotesError =>
  new QuotesError('QUOTES_CLOSED', 'quotes must be open. Call createQuotes() again', { details: {} })

/** Creates the error of an invalid option. */
export function optionInvalid(
  option: string,
  expected: string,
  received: string,
  message = optionMessage(option, expected, received),
): QuotesError {
  return new QuotesError('QUOTES_OPTION_INVALID', message, { details: { option, expected, received } })
}

/** Errors of the stream iterator. */
export const ASYNC_STREAM_ERRORS: AsyncStreamErrors = { optionInvalid, inUse, closed }
