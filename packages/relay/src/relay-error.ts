/** The error of this package. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
import { type OptionFailure, optionMessage } from '@brokerwire/core/internal'

/** What each code says beside its message. */
export interface RelayErrorDetails {
  /** An option is wrong: which one, and what was expected. Never the value. */
  RELAY_OPTION_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /** The configuration is wrong, in this line. */
  RELAY_CONFIG_INVALID: {
    readonly file: string
    /** From 1, as `column`. */
    readonly line: number
    readonly column: number
    /** A path such as `keys[0].name`; empty if the text is no JSON. */
    readonly field: string
    readonly problem: string
  }
  /** A message in the stream that no relay wrote, or that was damaged. */
  RELAY_MESSAGE_INVALID: { readonly subject: string; readonly header: string; readonly reason: string }
  /** A message of a newer relay than this reader knows. */
  RELAY_SCHEMA_UNKNOWN: { readonly subject: string; readonly received: string; readonly known: number }
  /** Somebody else has become the stream's writer. */
  RELAY_FENCED: { readonly stream: string; readonly sequence: number; readonly writer: string | undefined }
  /** The messages in the stream were not written by this fleet. */
  RELAY_STREAM_FOREIGN: {
    readonly stream: string
    readonly sequence: number
    readonly found: string
  }
  /** The stream ends before what it had acknowledged, or is another one of the same name. */
  RELAY_STREAM_REWOUND: {
    readonly stream: string
    readonly acknowledged: number
    readonly sequence: number
  }
  /** The sink was not reached, or cannot write now. */
  RELAY_SINK_UNAVAILABLE: { readonly stream: string; readonly reason: string }
  /** The stream is missing, or is not what a relay needs. */
  RELAY_SINK_UNFIT: {
    readonly stream: string
    readonly setting: string
    readonly expected: string
    readonly received: string
    /**
     * What an operator types to mend it, with the stream's name and the numbers needed, or for `max_file_store` writes into
     * the servers' configuration; for what is missing with the file of their configuration in place of `FILE`; `undefined`
     * where nothing does.
     */
    readonly command: string | undefined
  }
  /** A message that was given to a sink is longer than the server takes. A relay writes a `too-large` message instead. */
  RELAY_EVENT_TOO_LARGE: {
    readonly stream: string
    readonly bytes: number
    readonly maxBytes: number
    /** A line for the servers' configuration; `undefined` where no server can be set to take so much. */
    readonly configuration: string | undefined
  }
  /** No access token can be used now. */
  RELAY_TOKEN_MISSING: {
    readonly key: string
    /** `needs-person`: nothing goes on before somebody asks for a new one, or confirms one. */
    readonly why: 'missing' | 'awaits-confirmation' | 'needs-person' | 'failed'
    readonly command: string | undefined
  }
  /** What the store has is not what a relay writes. */
  RELAY_STATE_INVALID: { readonly key: string; readonly reason: string }
  /** Another relay of the fleet with this name is running. */
  RELAY_NAME_TAKEN: { readonly name: string }
  /** This relay is no longer known to belong to the fleet: it could not renew its membership in time. */
  RELAY_MEMBERSHIP_LOST: { readonly name: string; readonly why: 'taken over' | 'not extended' }
  /** The writer of this stream was closed, or its reader has ended. */
  RELAY_CLOSED: { readonly stream: string }
  /** A second `for await` or `batches()` over one reader, or `next()` after `batches()`. */
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
 * Whether `value` is an error of this package, and of this code where one is given.
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

/** Errors of a reader of this stream. @internal */
export const readerErrors = (stream: string) => ({
  optionInvalid: optionFailure,
  inUse: () =>
    new RelayError(
      'RELAY_READER_IN_USE',
      `${stream} is already being read: call consumeRelay() for each reader`,
      {
        details: { stream },
      },
    ),
  closed: () =>
    new RelayError('RELAY_CLOSED', `the reader of ${stream} has ended: call consumeRelay() again`, {
      details: { stream },
    }),
})

/** @internal */
export const optionFailure: OptionFailure = (
  option,
  expected,
  received,
  message = optionMessage(option, expected, received),
) => new RelayError('RELAY_OPTION_INVALID', message, { details: { option, expected, received } })
