/** Errors of this package. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
import { type AsyncStreamErrors, optionMessage } from '@brokerwire/core/internal'

/** The details of each error code. */
export interface StreamsErrorDetails {
  /** An option is invalid. `received` describes the value without showing it, except for values that cannot be secret. */
  STREAM_OPTION_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /** The service rejected the credentials, and rejected them again at the retry. */
  STREAM_AUTH_REJECTED: {
    readonly signal: 'auth-error' | 'status'
    readonly status: string | undefined
    readonly tokenSent: boolean
  }
  /** The service refused the subscription with a gRPC status that a retry would not change. */
  STREAM_REFUSED: { readonly status: string; readonly serverMessage: string | undefined }
  /** The service rejected the cursor of the request. */
  STREAM_CURSOR_REJECTED: { readonly status: string; readonly serverMessage: string | undefined }
  /** The service grants the app key one subscription for orders and positions, and the stream `heldBy` of this process has it. */
  STREAM_SUBSCRIPTION_CONFLICT: { readonly heldBy: 'trade' | 'position' | 'account' }
  /** Another consumer committed the same cursor. */
  STREAM_CURSOR_CONFLICT: { readonly eventType: string }
  /** The stored value is not a valid cursor. */
  STREAM_CURSOR_INVALID: { readonly eventType: string; readonly reason: string }
  /** The store failed at the first read or write of a cursor, or at the last write. */
  STREAM_STORE_FAILED: { readonly operation: 'read' | 'write' }
  /** A limit of the caller was reached: the number of attempts, or the elapsed time. */
  STREAM_GAVE_UP: {
    readonly limit: 'attempts' | 'elapsed'
    readonly attempts: number
    readonly reason: string
  }
  /** The budget has no subscription left for this app key. */
  STREAM_BUDGET_EXCEEDED: { readonly max: number }
  /** The stream has a reader already: a second `for await` or `batches()`, or `next()` after `batches()`. */
  STREAM_IN_USE: Readonly<Record<never, never>>
  /** The stream has ended, or was closed before it started. */
  STREAM_CLOSED: Readonly<Record<never, never>>
  /** The signer, the option `timestamp`, `headers` or `accessTokens` failed in a way that a retry would not change. */
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
