/** The error class of this package, and its codes. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
import { type OptionFailure, optionMessage } from '@brokerwire/core/internal'

/** The `details` of each error code. */
export interface RelayErrorDetails {
  /**
   * An option has a wrong value, which is never shown.
   * @retryable no
   * @remedy Correct the option that `details.option` names.
   * @message text must be the text of a configuration; received undefined
   */
  RELAY_OPTION_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /**
   * The configuration is wrong at this line and column.
   * @retryable no
   * @remedy Correct the field that the message names.
   * @message relay.json:11:17: apps[0].appKey must be an object with env (the name of an environment variable) or
   *   file (a path), never the secret itself; received another object
   */
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
  /**
   * A message in the stream was not written by a relay, or is damaged.
   * @retryable no
   * @remedy Keep other writers off the subjects of the stream.
   * @message header Brokerwire-Stream must be written by a relay; received an unknown value. Keep other writers off
   *   the subjects of the stream.
   */
  RELAY_MESSAGE_INVALID: { readonly subject: string; readonly header: string; readonly reason: string }
  /**
   * A message has the schema version of a newer or an older relay.
   * @retryable no
   * @remedy Update this package in the reader. For old messages, use the version that wrote them.
   * @message schema version must be 2; received 3 of a newer relay. Update \@brokerwire/relay here.
   */
  RELAY_SCHEMA_UNSUPPORTED: {
    readonly subject: string
    readonly received: number
    readonly supported: number
  }
  /**
   * Another writer has taken over the stream.
   * @retryable yes
   * @remedy Read the tail again if this writer should continue.
   * @message stream brokerwire_sandbox_us_team-a must have one writer; another writer has taken it over. Read the
   *   tail before publishing again.
   */
  RELAY_FENCED: {
    readonly stream: string
    /** The sequence of the last message that was found. */
    readonly sequence: number
    /** The name of the other relay, if its notice was found. */
    readonly relay: string | undefined
  }
  /**
   * The messages in the stream were not written by this cluster.
   * @retryable no
   * @remedy Give each cluster its own prefix.
   * @message stream brokerwire_sandbox_us_team-a must be written by this cluster only; found messages of no relay.
   *   Give this cluster its own prefix.
   */
  RELAY_STREAM_MISMATCH: {
    readonly stream: string
    readonly sequence: number
    readonly found: string
  }
  /**
   * The stream ends before an acknowledged message, or was deleted and created again.
   * @retryable yes
   * @remedy Nothing: the relay takes over the stream, with a gap. Find out who created it again or restored old data.
   * @message stream brokerwire_sandbox_us_team-a must end at sequence 3 or later; received 0. It was deleted,
   *   recreated or restored from a backup; read the tail again.
   */
  RELAY_STREAM_TRUNCATED: {
    readonly stream: string
    /** The sequence of the last acknowledged message. */
    readonly acknowledged: number
    /** The last sequence of the stream now. */
    readonly sequence: number
  }
  /**
   * The sink cannot be reached, or temporarily cannot write.
   * @retryable yes
   * @remedy Check the server. The relay tries again.
   * @message brokerwire_sandbox_us_team-a is unavailable: its tail must be read before publishing
   */
  RELAY_SINK_UNAVAILABLE: { readonly stream: string; readonly reason: string }
  /**
   * The stream is missing, or has wrong settings.
   * @retryable no
   * @remedy Run `details.command`. If the stream is missing, replace `FILE` with your configuration. A running relay keeps
   *   its events and tries again each minute.
   * @message stream brokerwire_sandbox_us_team-a must accept new messages; received "maximum bytes exceeded". Raise
   *   the limit, or delete the oldest messages with --discard=old: nats stream edit brokerwire_sandbox_us_team-a
   *   --max-bytes=8000 --force
   */
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
  /**
   * A published message is longer than the server accepts. A relay publishes an `oversized` message instead.
   * @retryable no
   * @remedy Put `details.configuration` into the configuration of each server.
   * @message a message must have at most 1048576 bytes (max_payload of the server); received 1051538. Put
   *   "max_payload: 2097152" into the configuration of each NATS server, and restart them one after the other.
   */
  RELAY_EVENT_OVERSIZED: {
    readonly stream: string
    /** Length of the message with its headers, bytes. */
    readonly messageBytes: number
    /** The longest message that the server accepts, bytes. */
    readonly maxBytes: number
    /** A line of the servers' configuration; `undefined` if no server can be configured for that length. */
    readonly configuration: string | undefined
  }
  /**
   * The app has no usable access token.
   * @retryable yes
   * @remedy Run `details.command`, or confirm the token in the service's app.
   * @message app team-a must have a usable access token; received none (missing). Run "brokerwire token create
   *   --wait" with the store of the relay.
   */
  RELAY_TOKEN_MISSING: {
    readonly app: string
    /** `needs-person`: a person must create or confirm a token. */
    readonly why: 'missing' | 'awaits-confirmation' | 'needs-person' | 'failed'
    /** The command that creates a token; `undefined` if no command helps. */
    readonly command: string | undefined
  }
  /**
   * A value in the store was not written by a relay.
   * @retryable no
   * @remedy Remove the value, or give the cluster another name.
   * @message store key relay/cluster/members must have a value that a relay wrote; received not a JSON object. Remove
   *   it, or give the cluster another name.
   */
  RELAY_STATE_INVALID: { readonly storeKey: string; readonly reason: string }
  /**
   * Another relay with this name is running in the cluster.
   * @retryable no
   * @remedy Give each relay its own name. This one has ended.
   * @message relay name must be unique in its cluster; another relay named a is running. Give each relay its own
   *   name.
   */
  RELAY_NAME_TAKEN: { readonly name: string }
  /**
   * The membership in the cluster was lost: the relay did not renew it in time.
   * @retryable yes
   * @remedy Check the store. The relay keeps the received events, and joins again.
   * @message relay a must renew its membership in time; it was not extended. It joins again.
   */
  RELAY_MEMBERSHIP_LOST: { readonly name: string; readonly why: 'taken over' | 'not extended' }
  /**
   * The writer of this stream was closed, or its reader has ended.
   * @retryable no
   * @remedy Open another one.
   * @message reader of brokerwire_sandbox_us_team-a must be open; it has ended. Call consumeRelay() again.
   */
  RELAY_CLOSED: { readonly stream: string }
  /**
   * A reader was used by a second `for await` or `batches()`, or by `next()` after `batches()`.
   * @retryable no
   * @remedy Call `consumeRelay()` for each reader.
   * @message a reader of brokerwire_sandbox_us_team-a must be used by one loop; received another. Call consumeRelay()
   *   for each loop.
   */
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
