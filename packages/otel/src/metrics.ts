/**
 * The table of the metrics. The page METRICS.md is generated from it. Attributes have few values: no account id, app key, order id or
 * path is one.
 */

/** One metric. */
export interface Metric {
  /** The kind of the instrument. */
  readonly kind: 'counter' | 'histogram' | 'gauge'
  /** The name in OpenTelemetry. */
  readonly name: string
  /** The unit in UCUM. */
  readonly unit: string
  /** The description that exporters show. */
  readonly description: string
  /** Upper bounds of a histogram's buckets. */
  readonly boundaries?: readonly number[]
  /** The names of the attributes. */
  readonly attributes: readonly string[]
}

/** The buckets that the semantic conventions advise for durations of requests, in seconds. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
/** Buckets of delays and gaps, from 5 ms to an hour, in seconds. */
const LAG_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600]

const STREAM = ['brokerwire.stream.id', 'brokerwire.stream.kind']

/** All metrics, by the name that this package uses in code. */
export const METRICS = {
  httpDuration: {
    kind: 'histogram',
    name: 'http.client.request.duration',
    unit: 's',
    description: 'Duration of HTTP client requests.',
    boundaries: REQUEST_SECONDS,
    attributes: [
      'http.request.method',
      'http.response.status_code',
      'error.type',
      'server.address',
      'server.port',
      'brokerwire.operation',
    ],
  },
  httpRetries: {
    kind: 'counter',
    name: 'brokerwire.http.retries',
    unit: '{retry}',
    description: 'HTTP attempts that were followed by another attempt.',
    attributes: ['server.address', 'brokerwire.operation', 'error.type'],
  },
  streamEvents: {
    kind: 'counter',
    name: 'brokerwire.stream.events',
    unit: '{event}',
    description: 'Events that were added to the queue of a stream.',
    attributes: STREAM,
  },
  streamIo: {
    kind: 'counter',
    name: 'brokerwire.stream.io',
    unit: 'By',
    description: 'Memory of the items that were added to the queue of a stream.',
    attributes: STREAM,
  },
  streamDiscarded: {
    kind: 'counter',
    name: 'brokerwire.stream.discarded',
    unit: '{event}',
    description: 'Events that were discarded as duplicates or by the selection.',
    attributes: [...STREAM, 'brokerwire.discard.reason'],
  },
  streamUndecodable: {
    kind: 'counter',
    name: 'brokerwire.stream.undecodable',
    unit: '{message}',
    description: 'Messages that could not be decoded.',
    attributes: STREAM,
  },
  streamLag: {
    kind: 'histogram',
    name: 'brokerwire.stream.lag',
    unit: 's',
    description: 'Time from the timestamp of the last event of a batch to its receipt.',
    boundaries: LAG_SECONDS,
    attributes: STREAM,
  },
  streamGap: {
    kind: 'histogram',
    name: 'brokerwire.stream.gap',
    unit: 's',
    description: 'Length of the intervals in which events may be missing.',
    boundaries: LAG_SECONDS,
    attributes: [...STREAM, 'brokerwire.gap.cause'],
  },
  streamReconnects: {
    kind: 'counter',
    name: 'brokerwire.stream.reconnects',
    unit: '{reconnect}',
    description: 'Connections and attempts of a stream that failed and are tried again.',
    attributes: [...STREAM, 'brokerwire.reconnect.reason'],
  },
  streamNotices: {
    kind: 'counter',
    name: 'brokerwire.stream.notices',
    unit: '{notice}',
    description: 'Notices of a stream.',
    attributes: [...STREAM, 'brokerwire.notice.kind'],
  },
  streamState: {
    kind: 'gauge',
    name: 'brokerwire.stream.state',
    unit: '1',
    description: '1 for the phase of a stream, 0 for all others.',
    attributes: [...STREAM, 'brokerwire.state'],
  },
  streamIdle: {
    kind: 'gauge',
    name: 'brokerwire.stream.idle',
    unit: 's',
    description: 'Time since the last frame of a stream; 0 after its end.',
    attributes: STREAM,
  },
  streamQueueDepth: {
    kind: 'gauge',
    name: 'brokerwire.stream.queue.depth',
    unit: '{item}',
    description: 'Items that wait for the consumer of a stream, as of the last batch.',
    attributes: STREAM,
  },
} as const satisfies Record<string, Metric>
