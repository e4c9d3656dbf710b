/**
 * What is wrong with a stream or its server, as an error that says what an operator types to mend it: under the stream's real
 * name, with the numbers that are needed, in the words of the `nats` command line and of the server's configuration.
 *
 * Nothing here throws away what a stream holds before a person has said so: limits are raised, and a removal is asked about.
 */
import { printable } from '@brokerwire/core'
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

/** `max_bytes` as the command line has it. */
const cliFlag = (setting: string): string => `--${setting.replaceAll('_', '-')}`

/** There is none of this name. */
export function streamMissing(stream: string): RelayError {
  const mismatch = { setting: 'stream', expected: 'a stream of this name', received: 'none' }
  const command = 'brokerwire relay --config FILE --create-stream'
  return sinkMisconfigured(stream, `the stream ${stream} is missing`, { ...mismatch, command })
}

/** Settings that no server changes in a stream that exists. */
const IMMUTABLE = new Set(['retention', 'storage', 'sealed', 'mirror', 'sources'])

/** A stream that cannot be written as it is. */
export function streamMismatch(stream: string, mismatch: ConfigMismatch): RelayError {
  const { setting, expected, received } = mismatch
  const text = `the stream ${stream} cannot be used: ${setting} has to be ${expected}, and is ${printable(received, 200)}`
  if (IMMUTABLE.has(setting)) {
    const only = `${text}; only a new stream has that, which --create-stream makes when this one is gone with all that it holds`
    return sinkMisconfigured(stream, only, { ...mismatch, command: `nats stream rm ${stream}` })
  }
  const flag = setting === 'no_ack' ? '--ack' : `${cliFlag(setting)}='${expected}'`
  return sinkMisconfigured(stream, text, { ...mismatch, command: editCommand(stream, flag) })
}

/** A stream that was made and is not what was asked for. No command mends it: its server is too old. */
export function unsupportedSetting(stream: string, mismatch: ConfigMismatch): RelayError {
  const { setting, expected, received } = mismatch
  const text = `the stream ${stream} was made otherwise than asked: ${setting} has to be ${expected}, and is ${printable(received, 200)}; the server does not know it`
  return sinkMisconfigured(stream, text, mismatch)
}

/** Limits that a stream refuses new messages at, by what its server says. */
const LIMIT_MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/messages per subject exceeded/, 'max_msgs_per_subject'],
  [/maximum messages exceeded/, 'max_msgs'],
  [/maximum bytes exceeded/, 'max_bytes'],
]
/** The server itself has no room, or gives the account none. */
const STORAGE_ERRORS: ReadonlySet<number> = new Set([
  JETSTREAM_ERROR.accountResourcesExceeded,
  JETSTREAM_ERROR.insufficientResources,
  JETSTREAM_ERROR.storageExceeded,
])

/** Whether a repeat would be refused as well. */
export function isFull({ errorCode }: JetStreamApiError): boolean {
  const { messageTooLong, storeFailed } = JETSTREAM_ERROR
  return STORAGE_ERRORS.has(errorCode) || errorCode === messageTooLong || errorCode === storeFailed
}

/**
 * A stream that takes no more.
 *
 * @param config - The stream's, where it could be read.
 * @param minBytes - What JetStream has to have at least.
 */
export function streamFull(
  stream: string,
  error: JetStreamApiError,
  config: StreamConfig | undefined,
  minBytes: number,
): RelayError {
  const serverMessage = printable(error.message, 200)
  const text = `the stream ${stream} takes no more (${serverMessage})`
  if (STORAGE_ERRORS.has(error.errorCode)) {
    const mismatch = { setting: 'max_file_store', expected: `more than ${minBytes}`, received: serverMessage }
    const where = `${text}: give JetStream more room in the configuration of each server, or in the account's limits`
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
  // Of the disk below it, for example.
  if (setting === undefined) {
    const mismatch = { setting: 'storage', expected: 'room for more', received: serverMessage }
    return sinkMisconfigured(stream, `${text}: look at the servers' disks`, mismatch)
  }
  const limit = config?.[setting]
  const isKnown = typeof limit === 'number' && limit > 0
  const mismatch = {
    setting,
    expected: isKnown ? `more than ${limit}` : '-1',
    received: formatLimit(limit, serverMessage),
  }
  const command = editCommand(stream, `${cliFlag(setting)}=${isKnown ? 2 * limit : -1}`)
  return sinkMisconfigured(stream, `${text}: raise the limit, or let the oldest go with --discard=old`, {
    ...mismatch,
    command,
  })
}

const formatLimit = (limit: unknown, otherwise: string): string =>
  typeof limit === 'number' ? String(limit) : otherwise

/** An event that is longer than the server takes. */
export function eventTooLarge(stream: string, bytes: number, maxBytes: number): RelayError {
  const sufficient = 2 ** Math.ceil(Math.log2(bytes))
  const configuration = sufficient > MAX_SUPPORTED_PAYLOAD ? undefined : `max_payload: ${sufficient}`
  const advice =
    configuration === undefined
      ? 'no server can be set to take it'
      : `put "${configuration}" into the configuration of each NATS server, and restart them one after the other`
  const text = `an event of ${bytes} bytes is longer than the ${maxBytes} that the server takes: ${advice}`
  return new RelayError('RELAY_EVENT_TOO_LARGE', text, {
    details: { stream, bytes, maxBytes, configuration },
  })
}
