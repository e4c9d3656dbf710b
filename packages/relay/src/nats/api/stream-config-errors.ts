/**
 * What is wrong with a stream or its server, as an error that says what an operator types to mend it: under the stream's real
 * name, with the numbers that are needed, in the words of the `nats` command line and of the server's configuration.
 *
 * Nothing here throws away what a stream holds before a person has said so: limits are raised, and a removal is asked about.
 */
import { printable } from '@brokerwire/core'
import { RelayError } from '../../relay-error.ts'
import { unfit } from '../../sink/sink-errors.ts'
import {
  JETSTREAM_ERROR,
  type JetStreamApiError,
  MOST_MAX_PAYLOAD,
  type StreamConfig,
} from './jetstream-api.ts'
import type { Misfit } from './stream-limits.ts'

const edit = (stream: string, flag: string): string => `nats stream edit ${stream} ${flag} --force`

/** `max_bytes` as the command line has it. */
const flagOf = (setting: string): string => `--${setting.replaceAll('_', '-')}`

/** There is none of this name. */
export function missingStream(stream: string): RelayError {
  const misfit = { setting: 'stream', expected: 'a stream of this name', received: 'none' }
  const command = 'brokerwire relay --config FILE --create-stream'
  return unfit(stream, `the stream ${stream} is missing`, { ...misfit, command })
}

/** Settings that no server changes in a stream that exists. */
const FIXED = new Set(['retention', 'storage', 'sealed', 'mirror', 'sources'])

/** A stream that cannot be written as it is. */
export function misfitStream(stream: string, misfit: Misfit): RelayError {
  const { setting, expected, received } = misfit
  const text = `the stream ${stream} cannot be used: ${setting} has to be ${expected}, and is ${printable(received, 200)}`
  if (FIXED.has(setting)) {
    const only = `${text}; only a new stream has that, which --create-stream makes when this one is gone with all that it holds`
    return unfit(stream, only, { ...misfit, command: `nats stream rm ${stream}` })
  }
  const flag = setting === 'no_ack' ? '--ack' : `${flagOf(setting)}='${expected}'`
  return unfit(stream, text, { ...misfit, command: edit(stream, flag) })
}

/** A stream that was made and is not what was asked for. No command mends it: its server is too old. */
export function otherStream(stream: string, misfit: Misfit): RelayError {
  const { setting, expected, received } = misfit
  const text = `the stream ${stream} was made otherwise than asked: ${setting} has to be ${expected}, and is ${printable(received, 200)}; the server does not know it`
  return unfit(stream, text, misfit)
}

/** Limits that a stream refuses new messages at, by what its server says. */
const LIMITS: readonly (readonly [RegExp, string])[] = [
  [/messages per subject exceeded/, 'max_msgs_per_subject'],
  [/maximum messages exceeded/, 'max_msgs'],
  [/maximum bytes exceeded/, 'max_bytes'],
]
/** The server itself has no room, or gives the account none. */
const NO_ROOM: ReadonlySet<number> = new Set([
  JETSTREAM_ERROR.accountResourcesExceeded,
  JETSTREAM_ERROR.insufficientResources,
  JETSTREAM_ERROR.storageExceeded,
])

/** Whether a repeat would be refused as well. */
export function isFull({ errorCode }: JetStreamApiError): boolean {
  const { messageTooLong, storeFailed } = JETSTREAM_ERROR
  return NO_ROOM.has(errorCode) || errorCode === messageTooLong || errorCode === storeFailed
}

/**
 * A stream that takes no more.
 *
 * @param config - The stream's, where it could be read.
 * @param roomBytes - What JetStream has to have at least.
 */
export function fullStream(
  stream: string,
  error: JetStreamApiError,
  config: StreamConfig | undefined,
  roomBytes: number,
): RelayError {
  const said = printable(error.message, 200)
  const text = `the stream ${stream} takes no more (${said})`
  if (NO_ROOM.has(error.errorCode)) {
    const misfit = { setting: 'max_file_store', expected: `more than ${roomBytes}`, received: said }
    const where = `${text}: give JetStream more room in the configuration of each server, or in the account's limits`
    return unfit(stream, where, { ...misfit, command: `jetstream { max_file_store: ${2 * roomBytes} }` })
  }
  if (error.errorCode === JETSTREAM_ERROR.messageTooLong) {
    const misfit = {
      setting: 'max_msg_size',
      expected: '-1',
      received: shownLimit(config?.max_msg_size, said),
    }
    return unfit(stream, text, { ...misfit, command: edit(stream, '--max-msg-size=-1') })
  }
  const setting = LIMITS.find(([pattern]) => pattern.test(error.message))?.[1]
  // Of the disk below it, for example.
  if (setting === undefined) {
    const misfit = { setting: 'storage', expected: 'room for more', received: said }
    return unfit(stream, `${text}: look at the servers' disks`, misfit)
  }
  const limit = config?.[setting]
  const isKnown = typeof limit === 'number' && limit > 0
  const misfit = {
    setting,
    expected: isKnown ? `more than ${limit}` : '-1',
    received: shownLimit(limit, said),
  }
  const command = edit(stream, `${flagOf(setting)}=${isKnown ? 2 * limit : -1}`)
  return unfit(stream, `${text}: raise the limit, or let the oldest go with --discard=old`, {
    ...misfit,
    command,
  })
}

const shownLimit = (limit: unknown, otherwise: string): string =>
  typeof limit === 'number' ? String(limit) : otherwise

/** An event that is longer than the server takes. */
export function eventTooLarge(stream: string, bytes: number, maxBytes: number): RelayError {
  const enough = 2 ** Math.ceil(Math.log2(bytes))
  const configuration = enough > MOST_MAX_PAYLOAD ? undefined : `max_payload: ${enough}`
  const help =
    configuration === undefined
      ? 'no server can be set to take it'
      : `put "${configuration}" into the configuration of each NATS server, and restart them one after the other`
  const text = `an event of ${bytes} bytes is longer than the ${maxBytes} that the server takes: ${help}`
  return new RelayError('RELAY_EVENT_TOO_LARGE', text, {
    details: { stream, bytes, maxBytes, configuration },
  })
}
