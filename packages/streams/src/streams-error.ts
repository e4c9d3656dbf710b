/** The error of this package. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
import { type ConsumerErrors, optionMessage } from '@brokerwire/core/internal'

/** What each code says beside its message. */
export interface StreamsErrorDetails {
  /** An option is wrong: which one, and what was expected. Never the value. */
  STREAM_OPTION_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /** The service refused the credentials, and the one further attempt did not help. */
  STREAM_AUTH_REJECTED: {
    readonly signal: 'auth-error' | 'status'
    readonly status: string | undefined
    readonly tokenSent: boolean
  }
  /** The service answered with a gRPC status that another attempt would not change. */
  STREAM_REFUSED: { readonly status: string; readonly serverMessage: string | undefined }
  /** The service refused the stored cursor. */
  STREAM_CURSOR_REJECTED: { readonly status: string; readonly serverMessage: string | undefined }
  /** The service grants the app key one subscription for orders and positions, and another stream of this process has it. */
  STREAM_SUBSCRIPTION_CONFLICT: { readonly heldBy: 'trade' | 'position' | 'account' }
  /** Another consumer wrote the same cursor. */
  STREAM_CURSOR_CONFLICT: { readonly eventType: string }
  /** What is stored under a cursor's key is not a cursor. */
  STREAM_CURSOR_INVALID: { readonly eventType: string; readonly reason: string }
  /** The store failed while a cursor was read, when it was noted since when there is none, or at the last write. */
  STREAM_STORE_FAILED: { readonly operation: 'read' | 'write' }
  /** The caller's limit of attempts or of elapsed time was reached. */
  STREAM_GAVE_UP: {
    readonly limit: 'attempts' | 'elapsed'
    readonly attempts: number
    readonly reason: string
  }
  /** More subscriptions at once than the key's budget. */
  STREAM_BUDGET_EXCEEDED: { readonly max: number }
  /** A second `for await` or `batches()` over one stream, or `next()` after `batches()`. */
  STREAM_IN_USE: Readonly<Record<never, never>>
  /** The stream has ended, or its streams were closed before it began. */
  STREAM_CLOSED: Readonly<Record<never, never>>
  /** The signer or a hook (`timestamp`, `accessTokens`) failed in a way that a repeat does not change. */
  STREAM_OPEN_FAILED: { readonly step: 'request' | 'signature' | 'access-token' }
}

/** Stable codes of {@link StreamsError}. */
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

/** Whether `value` is an error of this package, and of this code where one is given. */
export const isStreamsError = errorGuard<{ [C in StreamsErrorCode]: StreamsError<C> }>('streams')

const inUse = (): StreamsError =>
  new StreamsError('STREAM_IN_USE', 'the stream is already being read: make one stream for each reader', {
    details: {},
  })
const closed = (): StreamsError =>
  new StreamsError('STREAM_CLOSED', 'the stream has ended: make a new one', { details: {} })

/** The error for a wrong option. */
export function optionInvalid(
  option: string,
  expected: string,
  received: string,
  message = optionMessage(option, expected, received),
): StreamsError {
  return new StreamsError('STREAM_OPTION_INVALID', message, { details: { option, expected, received } })
}

/** Errors of the consumer of a stream. */
export const CONSUMER_ERRORS: ConsumerErrors = { optionInvalid, inUse, closed }
