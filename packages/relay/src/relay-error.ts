/** The error class of this package, and its codes. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
import { type OptionFailure, optionMessage } from '@brokerwire/core/internal'

/** The `details` of each error code. */
export interface RelayErrorDetails {
  /** An option has a wrong value, which is never shown. */
  RELAY_OPTION_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /** The configuration is wrong at this line and column. */
  RELAY_CONFIG_INVALID: {
    readonly file: string
    /** The line, counted from 1. `column` is counted in the same way. */
    readonly line: number
    readonly column: number
    /** A path such as `apps[0].name`; empty if the text is not JSON. */
    readonly field: string
    /** The problem as a sentence. */
    readonly problem: string
  }
  /** A message in the stream was not written by a relay, or is damaged. */
  RELAY_MESSAGE_INVALID: { readonly subject: string; readonly header: string; readonly reason: string }
  /** A message has the schema version of a newer or an older relay. */
  RELAY_SCHEMA_UNSUPPORTED: {
    readonly subject: string
    readonly received: number
    readonly supported: number
  }
  /** Another writer has taken over the stream. */
  RELAY_FENCED: {
    readonly stream: string
    /** The sequence of the last message that was found. */
    readonly sequence: number
    /** The name of the other relay, if its notice was found. */
    readonly relay: string | undefined
  }
  /** The messages in the stream were not written by this cluster. */
  RELAY_STREAM_MISMATCH: {
    readonly stream: string
    readonly sequence: number
    readonly found: string
  }
  /** The stream ends before an acknowledged message, or was deleted and created again. */
  RELAY_STREAM_TRUNCATED: {
    readonly stream: string
    /** The sequence of the last acknowledged message. */
    readonly acknowledged: number
    /** The last sequence of the stream now. */
    readonly sequence: number
  }
  /** The sink cannot be reached, or temporarily cannot write. */
  RELAY_SINK_UNAVAILABLE: { readonly stream: string; readonly reason: string }
  /** The stream is missing, or has wrong settings. */
  RELAY_SINK_MISCONFIGURED: {
    readonly stream: string
    readonly setting: string
    readonly expected: string
    readonly received: string
    /**
     * The command that corrects the setting, with the stream's name and the required numbers. For `max_file_store` it is a line of the
     * servers' configuration. For a missing stream, replace `FILE` with your configuration file. `undefined` if no command helps.
     */
    readonly command: string | undefined
  }
  /** A published message is longer than the server accepts. A relay publishes an `oversized` message instead. */
  RELAY_EVENT_OVERSIZED: {
    readonly stream: string
    /** Length of the message with its headers, bytes. */
    readonly messageBytes: number
    /** The longest message that the server accepts, bytes. */
    readonly maxBytes: number
    /** A line of the servers' configuration; `undefined` if no server can be configured for that length. */
    readonly configuration: string | undefined
  }
  /** The app has no usable access token. */
  RELAY_TOKEN_MISSING: {
    readonly app: string
    /** `needs-person`: a person must create or confirm a token. */
    readonly why: 'missing' | 'awaits-confirmation' | 'needs-person' | 'failed'
    /** The command that creates a token; `undefined` if no command helps. */
    readonly command: string | undefined
  }
  /** A value in the store was not written by a relay. */
  RELAY_STATE_INVALID: { readonly storeKey: string; readonly reason: string }
  /** Another relay with this name is running in the cluster. */
  RELAY_NAME_TAKEN: { readonly name: string }
  /** The membership in the cluster was lost: the relay did not renew it in time. */
  RELAY_MEMBERSHIP_LOST: { readonly name: string; readonly why: 'taken over' | 'not extended' }
  /** The writer of this stream was closed, or its reader has ended. */
  RELAY_CLOSED: { readonly stream: string }
  /** A reader was used by a second `for await` or `batches()`, or by `next()` after `batches()`. */
  RELAY_READER_IN_USE: { readonly stream: string }
}

/** Stable codes of {@link RelayError}. */
export type RelayErrorCode = keyof RelayErrorDetails

/** The error of `@brokerwire/relay`. */
export class RelayError<C extends RelayErrorCode = RelayErrorCode> extends BrokerwireError<
  C,
  RelayErrorDetails[C]
> {
  override readonly name = 'RelayError'

  constructor(code: C, message: string, options: BrokerwireErrorOptions<RelayErrorDetails[C]>) {
    super('relay', code, message, options)
  }
}

/**
 * Whether `value` is an error of this package, and has the code if one is given.
 *
 * @example
 * ```ts
 * import { isRelayError } from '@brokerwire/relay'
 *
 * declare function work(): Promise<void>
 *
 * try {
 *   await work()
 * } catch (error) {
 *   if (!isRelayError(error)) throw error
 *   console.log(error.code, error.retryable)
 * }
 * ```
 */
export const isRelayError = errorGuard<{ [C in RelayErrorCode]: RelayError<C> }>('relay')

/** Creates the errors of a reader of this stream. @internal */
export const readerErrors = (stream: string) => ({
  optionInvalid: optionFailure,
  inUse: () =>
    new RelayError(
      'RELAY_READER_IN_USE',
      `a reader of ${stream} must be used by one loop; received another. Call consumeRelay() for each loop.`,
      {
        details: { stream },
      },
    ),
  closed: () =>
    new RelayError(
      'RELAY_CLOSED',
      `reader of ${stream} must be open; it has ended. Call consumeRelay() again.`,
      {
        details: { stream },
      },
    ),
})

/**
 * Creates the error of a value in the store that no relay wrote, or that a newer relay wrote.
 *
 * @param version - The format version of the value.
 * @internal
 */
export function stateInvalid(storeKey: string, reason: string, version?: unknown): RelayError {
  if (typeof version === 'number' && version > 1) {
    const text = `store key ${storeKey} must have a value of format version 1; received version ${version} of a newer relay. Update @brokerwire/relay here.`
    const details = { storeKey, reason: 'an unknown format version' }
    return new RelayError('RELAY_STATE_INVALID', text, { details })
  }
  const text = `store key ${storeKey} must have a value that a relay wrote; received ${reason}. Remove it, or give the cluster another name.`
  return new RelayError('RELAY_STATE_INVALID', text, { details: { storeKey, reason } })
}

/** Creates the error of a wrong option. @internal */
export const optionFailure: OptionFailure = (
  option,
  expected,
  received,
  message = optionMessage(option, expected, received),
) => new RelayError('RELAY_OPTION_INVALID', message, { details: { option, expected, received } })
