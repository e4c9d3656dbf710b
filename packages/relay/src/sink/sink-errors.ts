/** Errors of all sinks. */
import { escapeControlChars } from '@brokerwire/core'
import { parseJsonObject } from '@brokerwire/core/internal'
import { RelayError, type RelayErrorDetails } from '../relay-error.ts'
import type { SinkEntry } from './event-sink.ts'

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
 * @param last - The last message of the stream. If it is a writer's notice, the error names the relay.
 */
export function fenced(
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
 * @param sequence - The last sequence of the stream now.
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

/** A wrong setting. */
type Mismatch = Omit<RelayErrorDetails['RELAY_SINK_MISCONFIGURED'], 'stream' | 'command'> & {
  /** The command that corrects the setting, for the end of the message. */
  readonly command?: string | undefined
}

export function sinkMisconfigured(
  stream: string,
  text: string,
  { setting, expected, received, command }: Mismatch,
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
  if (headers['Brokerwire-Kind'] !== 'writer-changed') return undefined
  const relay = parseJsonObject(body)?.relay
  return typeof relay === 'string' ? escapeControlChars(relay, 100) : undefined
}
