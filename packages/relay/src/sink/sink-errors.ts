/** What all sinks fail with, in one wording. */
import { printable } from '@brokerwire/core'
import { parseJsonObject } from '@brokerwire/core/internal'
import { RelayError, type RelayErrorDetails } from '../relay-error.ts'
import type { SinkEntry } from './event-sink.ts'

export function sinkClosed(stream: string): RelayError<'RELAY_CLOSED'> {
  return new RelayError('RELAY_CLOSED', `the writer of ${stream} was closed: open another one`, {
    details: { stream },
  })
}

/** @param last - What the stream ends with now: a holder's notice names its writer. */
export function fenced(
  stream: string,
  sequence: number,
  last: SinkEntry | undefined,
): RelayError<'RELAY_FENCED'> {
  const writer = last === undefined ? undefined : writerName(last)
  const by = writer === undefined ? 'somebody else' : `the relay ${writer}`
  return new RelayError('RELAY_FENCED', `${by} writes ${stream} now: read its tail before publishing again`, {
    details: { stream, sequence, writer },
    retryable: true,
  })
}

/** @param sequence - Of its last message now. */
export function streamTruncated(
  stream: string,
  acknowledged: number,
  sequence: number,
): RelayError<'RELAY_STREAM_REWOUND'> {
  const text = `the stream ${stream} is not the one it was: was it made anew, or its data restored?`
  return new RelayError('RELAY_STREAM_REWOUND', text, {
    details: { stream, acknowledged, sequence },
    retryable: true,
  })
}

export function sinkUnavailable(
  stream: string,
  reason: string,
  cause?: unknown,
): RelayError<'RELAY_SINK_UNAVAILABLE'> {
  return new RelayError('RELAY_SINK_UNAVAILABLE', `${stream} cannot be used now: ${reason}`, {
    details: { stream, reason },
    retryable: true,
    cause,
  })
}

/** What is not as it has to be. */
type Mismatch = Omit<RelayErrorDetails['RELAY_SINK_UNFIT'], 'stream' | 'command'> & {
  /** What mends it: the sentence ends with it. */
  readonly command?: string | undefined
}

export function sinkMisconfigured(
  stream: string,
  text: string,
  { setting, expected, received, command }: Mismatch,
  cause?: unknown,
): RelayError<'RELAY_SINK_UNFIT'> {
  const help = command === undefined ? '' : `: ${command}`
  return new RelayError('RELAY_SINK_UNFIT', `${text}${help}`, {
    details: { stream, setting, expected, received, command },
    cause,
  })
}

/** The relay that a holder's notice names. */
function writerName({ body, headers }: SinkEntry): string | undefined {
  if (headers['Brokerwire-Kind'] !== 'holder') return undefined
  const relay = parseJsonObject(body)?.relay
  return typeof relay === 'string' ? printable(relay, 100) : undefined
}
