/** Errors of this package. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
import { type AsyncStreamErrors, optionMessage } from '@brokerwire/core/internal'

/** The details of each error code. */
export interface StreamsErrorDetails {
  /**
   * An option is invalid. `received` describes the value without showing it, except for values that cannot be secret.
   * @retryable no
   * @remedy Correct the option that `details.option` names.
   * @message unknown option "eventsUrll". Did you mean "eventsUrl"?
   */
  STREAM_OPTION_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /**
   * The service rejected the credentials, and rejected them again at the retry.
   * @retryable no
   * @remedy Check the app key, the app secret, the accounts, the clock and `streamAlgorithm`, and whether the host
   *   requires an access token. See the `cause`.
   * @message the service rejected the credentials again: check the app key and the app secret, whether the app key
   *   may subscribe to these accounts, the clock, the signer's streamAlgorithm, and whether the access token is usable
   */
  STREAM_AUTH_REJECTED: {
    readonly signal: 'auth-error' | 'status'
    readonly status: string | undefined
    readonly tokenSent: boolean
  }
  /**
   * The service refused the subscription with a gRPC status that a retry would not change.
   * @retryable no
   * @remedy See `details.status` and `details.serverMessage`.
   * @message the service refused the subscription: permission_denied, "not allowed"
   */
  STREAM_REFUSED: { readonly status: string; readonly serverMessage: string | undefined }
  /**
   * The service rejected the cursor of the request.
   * @retryable no
   * @remedy Start once with `from: 'now'`, or set `onCursorRejected: 'from-now'`. Both report the gap and remove the
   *   stored cursor.
   * @message the service rejected the cursor: out_of_range. Start with from: 'now', or set onCursorRejected:
   *   'from-now'
   */
  STREAM_CURSOR_REJECTED: { readonly status: string; readonly serverMessage: string | undefined }
  /**
   * The service grants the app key one subscription for orders and positions, and the stream `heldBy` of this process has it.
   * @retryable no
   * @remedy Use one `accountEvents` for orders and positions, or close the other stream.
   * @message the service grants this app key one subscription for orders and positions, and the trade stream of this
   *   process has it: use one accountEvents() for both, or close the other stream
   */
  STREAM_SUBSCRIPTION_CONFLICT: { readonly heldBy: 'trade' | 'position' | 'account' }
  /**
   * Another consumer committed the same cursor.
   * @retryable no
   * @remedy Give each stream its own `consumer` name.
   * @message another consumer commits the cursor of APPLICATION: give each consumer its own name (option "consumer")
   */
  STREAM_CURSOR_CONFLICT: { readonly eventType: string }
  /**
   * The stored value is not a valid cursor.
   * @retryable no
   * @remedy Repair the store, or start once with `from: 'now'`. A record of a later version needs an update of this
   *   package.
   * @message the stored cursor of APPLICATION must be a record of version 1 or 2; it has another version. Delete it
   *   to start without a cursor
   */
  STREAM_CURSOR_INVALID: { readonly eventType: string; readonly reason: string }
  /**
   * The store failed at the first read or write of a cursor, or at the last write.
   * @retryable yes
   * @remedy Open the stream again. If a write failed, you receive the module events since the last commit again, and
   *   the next `gap` is wider.
   * @message writing a cursor to the store failed: no response within 5 s
   */
  STREAM_STORE_FAILED: { readonly operation: 'read' | 'write' }
  /**
   * A limit of the caller was reached: the number of attempts, or the elapsed time.
   * @retryable yes
   * @remedy Open a new stream.
   * @message the limit of the number of attempts was reached after attempt 1; last reason: status
   */
  STREAM_GAVE_UP: {
    readonly limit: 'attempts' | 'elapsed'
    readonly attempts: number
    readonly reason: string
  }
  /**
   * The budget has no subscription left for this app key.
   * @retryable yes
   * @remedy Close a stream of this app key.
   * @message 5 streams of this app key are open in this process, the limit of its budget: close one, or set the
   *   option "budget"
   */
  STREAM_BUDGET_EXCEEDED: { readonly max: number }
  /**
   * The stream has a reader already: a second `for await` or `batches()`, or `next()` after `batches()`.
   * @retryable no
   * @remedy Create one stream for each reader.
   * @message the stream has a reader already: create one stream for each reader
   */
  STREAM_IN_USE: Readonly<Record<never, never>>
  /**
   * The stream has ended, or was closed before it started.
   * @retryable no
   * @remedy Create a new stream. If the streams were closed, create new streams.
   * @message the stream has ended: create a new one
   */
  STREAM_CLOSED: Readonly<Record<never, never>>
  /**
   * The signer, the option `timestamp`, `headers` or `accessTokens` failed in a way that a retry would not change.
   * @retryable no
   * @remedy Correct your hook or the signer: `details.step` names the step.
   * @message opening the stream failed while signing the request: no key
   */
  STREAM_OPEN_FAILED: { readonly step: 'request' | 'signature' | 'headers' | 'access-token' }
}

/** The codes of {@link StreamsError}. They are stable. */
export type StreamsErrorCode = keyof StreamsErrorDetails

/** The error of `@brokerwire/streams`. */
export class StreamsError<C extends StreamsErrorCode = StreamsErrorCode> extends BrokerwireError<
  C,
  StreamsErrorDetails[C]
> {
  override readonly name = 'StreamsError'

  constructor(code: C, message: string, options: BrokerwireErrorOptions<StreamsErrorDetails[C]>) {
    super('streams', code, message, options)
  }
}

/** Whether a value is an error of this package, and has the given code if there is one. */
export const isStreamsError = errorGuard<{ [C in StreamsErrorCode]: StreamsError<C> }>('streams')

const inUse = (): StreamsError =>
  new StreamsError('STREAM_IN_USE', 'the stream has a reader already: create one stream for each reader', {
    details: {},
  })
const closed = (): StreamsError =>
  new StreamsError('STREAM_CLOSED', 'the stream has ended: create a new one', { details: {} })

/** Creates the error of an invalid option. */
export function optionInvalid(
  option: string,
  expected: string,
  received: string,
  message = optionMessage(option, expected, received),
): StreamsError {
  return new StreamsError('STREAM_OPTION_INVALID', message, { details: { option, expected, received } })
}

/** The errors of a stream's reader. */
export const ASYNC_STREAM_ERRORS: AsyncStreamErrors = { optionInvalid, inUse, closed }
