/**
 * Errors of a stream or a server with wrong settings. Each has the command or the line of configuration that
 * an operator needs, with the stream's real name and numbers.
 *
 * Commands raise limits, and `nats stream rm` asks first. So no command deletes stored messages without a
 * confirmation.
 */
import { escapeControlChars } from '@brokerwire/core'
import { RelayError } from '../../relay-error.ts'
import { sinkMisconfigured } from '../../sink/sink-errors.ts'
import {
  JETSTREAM_ERROR,
  type JetStreamApiError,
  MAX_SUPPORTED_PAYLOAD,
  type StreamConfig,
} from './jetstream-api.ts'
import type { ConfigMismatch } from './stream-limits.ts'

const editCommand = (stream: string, flag: string): string => `nats stream edit ${stream} ${flag} --force`

/** Returns the flag of the `nats` command line for a setting such as `max_bytes`. */
const cliFlag = (setting: string): string => `--${setting.replaceAll('_', '-')}`

/** Creates the error of a missing stream. */
export function streamMissing(stream: string): RelayError {
  const mismatch = { setting: 'stream', expected: 'a stream of this name', received: 'none' }
  const command = 'brokerwire relay --config FILE --create-stream'
  return sinkMisconfigured(stream, `stream ${stream} must exist; received none`, { ...mismatch, command })
}

/** Settings that cannot be changed in an existing stream. */
const IMMUTABLE = new Set(['retention', 'storage', 'sealed', 'mirror', 'sources'])

/** Creates the error of a stream with a wrong setting. */
export function streamMismatch(stream: string, mismatch: ConfigMismatch): RelayError {
  const { setting, expected, received } = mismatch
  const text = `${setting} of stream ${stream} must be ${expected}; received ${escapeControlChars(received, 200)}`
  if (IMMUTABLE.has(setting)) {
    const only = `${text}. It cannot be changed: delete the stream with its messages, then create it again with --create-stream`
    return sinkMisconfigured(stream, only, { ...mismatch, command: `nats stream rm ${stream}` })
  }
  const flag = setting === 'no_ack' ? '--ack' : `${cliFlag(setting)}='${expected}'`
  return sinkMisconfigured(stream, text, { ...mismatch, command: editCommand(stream, flag) })
}

/**
 * Creates the error of a setting that the server ignored. It has no command, because only a newer server
 * helps.
 */
export function unsupportedSetting(stream: string, mismatch: ConfigMismatch): RelayError {
  const { setting, expected, received } = mismatch
  const text = `${setting} of the new stream ${stream} must be ${expected}; received ${escapeControlChars(received, 200)}. The server ignored it: use a newer nats-server`
  return sinkMisconfigured(stream, text, mismatch)
}

/** The setting that limits a stream, by a pattern of the server's error message. */
const LIMIT_MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/messages per subject exceeded/, 'max_msgs_per_subject'],
  [/maximum messages exceeded/, 'max_msgs'],
  [/maximum bytes exceeded/, 'max_bytes'],
]
/** Error codes of a server whose storage, or the account's storage on it, is full. */
const STORAGE_ERRORS: ReadonlySet<number> = new Set([
  JETSTREAM_ERROR.accountResourcesExceeded,
  JETSTREAM_ERROR.insufficientResources,
  JETSTREAM_ERROR.storageExceeded,
])

/** Whether a retry would be rejected too, because the stream accepts no more messages. */
export function isFull({ errorCode }: JetStreamApiError): boolean {
  const { messageTooLong, storeFailed } = JETSTREAM_ERROR
  return STORAGE_ERRORS.has(errorCode) || errorCode === messageTooLong || errorCode === storeFailed
}

/**
 * Creates the error of a stream that accepts no more messages.
 *
 * @param config - The stream's configuration, if it could be read.
 * @param minBytes - The storage that JetStream needs at least.
 */
export function streamFull(
  stream: string,
  error: JetStreamApiError,
  config: StreamConfig | undefined,
  minBytes: number,
): RelayError {
  const serverMessage = escapeControlChars(error.message, 200)
  const text = `stream ${stream} must accept new messages; received "${serverMessage}"`
  if (STORAGE_ERRORS.has(error.errorCode)) {
    const mismatch = { setting: 'max_file_store', expected: `more than ${minBytes}`, received: serverMessage }
    const where = `${text}. Raise JetStream's storage in the configuration of each server, or in the account's limits`
    return sinkMisconfigured(stream, where, {
      ...mismatch,
      command: `jetstream { max_file_store: ${2 * minBytes} }`,
    })
  }
  if (error.errorCode === JETSTREAM_ERROR.messageTooLong) {
    const mismatch = {
      setting: 'max_msg_size',
      expected: '-1',
      received: formatLimit(config?.max_msg_size, serverMessage),
    }
    return sinkMisconfigured(stream, text, { ...mismatch, command: editCommand(stream, '--max-msg-size=-1') })
  }
  const setting = LIMIT_MESSAGES.find(([pattern]) => pattern.test(error.message))?.[1]
  // The message names no limit: the cause may be an error of the disk, for example.
  if (setting === undefined) {
    const mismatch = { setting: 'storage', expected: 'free space', received: serverMessage }
    return sinkMisconfigured(stream, `${text}. Check the servers' disks`, mismatch)
  }
  const limit = config?.[setting]
  const isKnown = typeof limit === 'number' && limit > 0
  const mismatch = {
    setting,
    expected: isKnown ? `more than ${limit}` : '-1',
    received: formatLimit(limit, serverMessage),
  }
  const command = editCommand(stream, `${cliFlag(setting)}=${isKnown ? 2 * limit : -1}`)
  return sinkMisconfigured(
    stream,
    `${text}. Raise the limit, or delete the oldest messages with --discard=old`,
    {
      ...mismatch,
      command,
    },
  )
}

const formatLimit = (limit: unknown, otherwise: string): string =>
  typeof limit === 'number' ? String(limit) : otherwise

/** Creates the error of a message that is longer than the server accepts. */
export function eventOversized(stream: string, messageBytes: number, maxBytes: number): RelayError {
  const sufficient = 2 ** Math.ceil(Math.log2(messageBytes))
  const configuration = sufficient > MAX_SUPPORTED_PAYLOAD ? undefined : `max_payload: ${sufficient}`
  const advice =
    configuration === undefined
      ? 'No server can be configured to accept it'
      : `Put "${configuration}" into the configuration of each NATS server, and restart them one after the other`
  const text = `a message must have at most ${maxBytes} bytes (max_payload of the server); received ${messageBytes}. ${advice}.`
  return new RelayError('RELAY_EVENT_OVERSIZED', text, {
    details: { stream, messageBytes, maxBytes, configuration },
  })
}
