/** Errors of all sinks. A sink of your own uses them too. */
import { escapeControlChars } from '@brokerwire/core'
import { parseJsonObject } from '@brokerwire/core/internal'
import { RelayError, type RelayErrorDetails } from '../relay-error.ts'
import { HEADER } from '../wire/headers.ts'
import type { SinkEntry } from './event-sink.ts'

/**
 * Creates the error of a sink that is closed.
 *
 * @param stream - The name of the stream.
 *
 * @example
 * ```ts
 * import { sinkClosed } from '@brokerwire/relay'
 *
 * console.log(sinkClosed('brokerwire_sandbox_us_desk-a').code) // RELAY_CLOSED
 * ```
 */
export function sinkClosed(stream: string): RelayError<'RELAY_CLOSED'> {
  return new RelayError(
    'RELAY_CLOSED',
    `writer of ${stream} must be open; it was closed. Open another one.`,
    {
      details: { stream },
    },
  )
}

/**
 * Creates the error of a replaced writer.
 *
 * @param sequence - The last sequence of the stream.
 * @param last - The last message of the stream. If it is a writer's notice, the error names the relay.
 *
 * @example
 * ```ts
 * import { writerFenced } from '@brokerwire/relay'
 *
 * console.log(writerFenced('brokerwire_sandbox_us_desk-a', 4, undefined).code) // RELAY_FENCED
 * ```
 */
export function writerFenced(
  stream: string,
  sequence: number,
  last: SinkEntry | undefined,
): RelayError<'RELAY_FENCED'> {
  const relay = last === undefined ? undefined : relayName(last)
  const by = relay === undefined ? 'another writer' : `relay ${relay}`
  return new RelayError(
    'RELAY_FENCED',
    `stream ${stream} must have one writer; ${by} has taken it over. Read the tail before publishing again.`,
    {
      details: { stream, sequence, relay },
      retryable: true,
    },
  )
}

/**
 * Creates the error of a stream that ends too early.
 *
 * @param acknowledged - The sequence of the last acknowledged message.
 * @param sequence - The last sequence of the stream now.
 *
 * @example
 * ```ts
 * import { streamTruncated } from '@brokerwire/relay'
 *
 * console.log(streamTruncated('brokerwire_sandbox_us_desk-a', 4, 2).code) // RELAY_STREAM_TRUNCATED
 * ```
 */
export function streamTruncated(
  stream: string,
  acknowledged: number,
  sequence: number,
): RelayError<'RELAY_STREAM_TRUNCATED'> {
  const text = `stream ${stream} must end at sequence ${acknowledged} or later; received ${sequence}. It was deleted, recreated or restored from a backup; read the tail again.`
  return new RelayError('RELAY_STREAM_TRUNCATED', text, {
    details: { stream, acknowledged, sequence },
    retryable: true,
  })
}

/**
 * Creates the error of a sink that temporarily cannot be read or written.
 *
 * @param reason - A phrase for the end of the message, without secrets.
 *
 * @example
 * ```ts
 * import { sinkUnavailable } from '@brokerwire/relay'
 *
 * console.log(sinkUnavailable('brokerwire_sandbox_us_desk-a', 'no response within 5000 ms').retryable) // true
 * ```
 */
export function sinkUnavailable(
  stream: string,
  reason: string,
  cause?: unknown,
): RelayError<'RELAY_SINK_UNAVAILABLE'> {
  return new RelayError('RELAY_SINK_UNAVAILABLE', `${stream} is unavailable: ${reason}`, {
    details: { stream, reason },
    retryable: true,
    cause,
  })
}

/** A wrong setting of a stream or its server. */
export type SinkMismatch = Omit<RelayErrorDetails['RELAY_SINK_MISCONFIGURED'], 'stream' | 'command'> & {
  /** The command that corrects the setting, for the end of the message. */
  readonly command?: string | undefined
}

/**
 * Creates the error of a wrong setting, which waiting does not correct.
 *
 * @param text - The message, without the command.
 *
 * @example
 * ```ts
 * import { sinkMisconfigured } from '@brokerwire/relay'
 *
 * const command = 'redis-cli config set appendonly yes'
 * const mismatch = { setting: 'appendonly', expected: 'yes', received: 'no', command }
 * const error = sinkMisconfigured('brokerwire_sandbox_us_team-a', 'appendonly must be yes; received no', mismatch)
 * console.log(error.details.setting) // appendonly
 * ```
 */
export function sinkMisconfigured(
  stream: string,
  text: string,
  { setting, expected, received, command }: SinkMismatch,
  cause?: unknown,
): RelayError<'RELAY_SINK_MISCONFIGURED'> {
  const help = command === undefined ? '' : `: ${command}`
  return new RelayError('RELAY_SINK_MISCONFIGURED', `${text}${help}`, {
    details: { stream, setting, expected, received, command },
    cause,
  })
}

/** Returns the relay that a writer's notice names. */
function relayName({ body, headers }: SinkEntry): string | undefined {
  if (headers[HEADER.kind] !== 'writer-changed') return undefined
  const relay = parseJsonObject(body)?.relay
  return typeof relay === 'string' ? escapeControlChars(relay, 100) : undefined
}
