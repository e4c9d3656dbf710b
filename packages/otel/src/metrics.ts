/**
 * The table of the metrics. docs/reference/metrics.md is generated from it. A metric that `brokerwire relay` also exports has the same name in
 * Prometheus and the same description there. The attributes are in another file, because only the page and the tests need them.
 */

/** One metric. */
export interface Metric {
  /** The kind of the instrument. */
  readonly kind: 'counter' | 'histogram' | 'gauge'
  /** The name in OpenTelemetry. */
  readonly name: string
  /** The unit in UCUM. */
  readonly unit: string
  /** The description that exporters show, as a sentence without its full stop. */
  readonly description: string
  /** Upper bounds of a histogram's buckets. */
  readonly boundaries?: readonly number[]
}

/** The buckets that the semantic conventions advise for durations of requests, in seconds. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
/** Buckets of delays and gaps, from 5 ms to an hour, in seconds. */
const LAG_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600]

/** All metrics, by the name that this package uses in code. */
export const METRICS = {
  httpDuration: {
    kind: 'histogram',
    name: 'http.client.request.duration',
    unit: 's',
    description: 'Duration of HTTP client requests',
    boundaries: REQUEST_SECONDS,
  },
  httpRetries: {
    kind: 'counter',
    name: 'brokerwire.http.retries',
    unit: '{retry}',
    description: 'HTTP attempts that were followed by another attempt',
  },
  streamEvents: {
    kind: 'counter',
    name: 'brokerwire.stream.events',
    unit: '{event}',
    description: 'Events that were received, without discarded ones',
  },
  streamIo: {
    kind: 'counter',
    name: 'brokerwire.stream.io',
    unit: 'By',
    description: 'Memory of the items that were added to the queue of a stream',
  },
  streamDiscarded: {
    kind: 'counter',
    name: 'brokerwire.stream.discarded',
    unit: '{event}',
    description: 'Events that were discarded as duplicates or by the selection',
  },
  streamUndecodable: {
    kind: 'counter',
    name: 'brokerwire.stream.undecodable',
    unit: '{message}',
    description: 'Messages that were received and cannot be decoded',
  },
  streamLag: {
    kind: 'histogram',
    name: 'brokerwire.stream.lag',
    unit: 's',
    description: 'Time from the timestamp of the last event of a batch to its receipt',
    boundaries: LAG_SECONDS,
  },
  streamGap: {
    kind: 'histogram',
    name: 'brokerwire.stream.gap',
    unit: 's',
    description: 'Length of the intervals in which events may be missing',
    boundaries: LAG_SECONDS,
  },
  streamReconnects: {
    kind: 'counter',
    name: 'brokerwire.stream.reconnects',
    unit: '{reconnect}',
    description: 'Connections and attempts that failed and are tried again',
  },
  streamNotices: {
    kind: 'counter',
    name: 'brokerwire.stream.notices',
    unit: '{notice}',
    description: 'Notices of a stream',
  },
  streamState: {
    kind: 'gauge',
    name: 'brokerwire.stream.state',
    unit: '1',
    description: '1 for the phase of a stream, 0 for all others',
  },
  streamIdle: {
    kind: 'gauge',
    name: 'brokerwire.stream.idle',
    unit: 's',
    description: 'Time since the last frame of a stream; 0 after its end',
  },
  streamQueueDepth: {
    kind: 'gauge',
    name: 'brokerwire.stream.queue.depth',
    unit: '{item}',
    description: 'Items that wait for the consumer of a stream, as of the last batch',
  },
  tokenCallDuration: {
    kind: 'histogram',
    name: 'brokerwire.token.call.duration',
    unit: 's',
    description: 'Duration of calls of the token endpoints, with retries and waits',
    boundaries: LAG_SECONDS,
  },
  tokenSecondFactors: {
    kind: 'counter',
    name: 'brokerwire.token.second_factors',
    unit: '{request}',
    description: 'Second factors that a person was asked for',
  },
  tokenState: {
    kind: 'gauge',
    name: 'brokerwire.token.state',
    unit: '1',
    description: '1 for the state of the access token, 0 for all others',
  },
  tokenTimeToExpiry: {
    kind: 'gauge',
    name: 'brokerwire.token.time_to_expiry',
    unit: 's',
    description: 'Time until the access token expires; 0 without a usable token or an expiry',
  },
  limiterWaits: {
    kind: 'counter',
    name: 'brokerwire.rate_limiter.waits',
    unit: '{wait}',
    description: 'Calls and operations that had to wait for a rate limit',
  },
  quotesMessages: {
    kind: 'counter',
    name: 'brokerwire.quotes.messages',
    unit: '{message}',
    description: 'Messages of market data that were received',
  },
  quotesIo: {
    kind: 'counter',
    name: 'brokerwire.quotes.io',
    unit: 'By',
    description: 'Payload bytes of the messages of market data',
  },
  quotesDiscarded: {
    kind: 'counter',
    name: 'brokerwire.quotes.discarded',
    unit: '{message}',
    description: 'Queued items that newer ones replaced, or that exceeded a limit of the buffer',
  },
  quotesLag: {
    kind: 'histogram',
    name: 'brokerwire.quotes.lag',
    unit: 's',
    description: 'Time from the timestamp of the last message of a batch to its receipt',
    boundaries: LAG_SECONDS,
  },
  quotesGap: {
    kind: 'histogram',
    name: 'brokerwire.quotes.gap',
    unit: 's',
    description: 'Length of the intervals in which messages were missed',
    boundaries: LAG_SECONDS,
  },
  quotesReconnects: {
    kind: 'counter',
    name: 'brokerwire.quotes.reconnects',
    unit: '{reconnect}',
    description: 'Connections that ended and are opened again',
  },
  quotesNotices: {
    kind: 'counter',
    name: 'brokerwire.quotes.notices',
    unit: '{notice}',
    description: 'Notices of market data',
  },
  quotesState: {
    kind: 'gauge',
    name: 'brokerwire.quotes.connection.state',
    unit: '1',
    description: '1 for the phase of a connection, 0 for all others',
  },
  quotesQueueDepth: {
    kind: 'gauge',
    name: 'brokerwire.quotes.queue.depth',
    unit: '{item}',
    description: 'Items that wait for the consumer, as of the last batch',
  },
  relayMessages: {
    kind: 'counter',
    name: 'brokerwire.relay.messages',
    unit: '{message}',
    description: 'Messages that were stored, including notices',
  },
  relayIo: {
    kind: 'counter',
    name: 'brokerwire.relay.io',
    unit: 'By',
    description: 'Memory of the stored messages while they waited',
  },
  relayDuplicates: {
    kind: 'counter',
    name: 'brokerwire.relay.duplicates',
    unit: '{event}',
    description: 'Events that the stream already contained',
  },
  relayOversized: {
    kind: 'counter',
    name: 'brokerwire.relay.oversized_events',
    unit: '{event}',
    description: 'Events that were longer than the sink accepts',
  },
  relayReceiveLag: {
    kind: 'histogram',
    name: 'brokerwire.relay.receive.lag',
    unit: 's',
    description: 'Time from the timestamp of the first event of a batch to its receipt',
    boundaries: LAG_SECONDS,
  },
  relayStoreLag: {
    kind: 'histogram',
    name: 'brokerwire.relay.store.lag',
    unit: 's',
    description: 'Time from the receipt of the first event of a batch until the batch was stored',
    boundaries: LAG_SECONDS,
  },
  relayLastSequence: {
    kind: 'gauge',
    name: 'brokerwire.relay.last_sequence',
    unit: '{message}',
    description: 'Sequence of the last stored message',
  },
  relayBackpressure: {
    kind: 'gauge',
    name: 'brokerwire.relay.backpressure',
    unit: 'By',
    description: 'Bytes that wait to be stored while reading is paused; 0 while it is not',
  },
  relayNotices: {
    kind: 'counter',
    name: 'brokerwire.relay.notices',
    unit: '{notice}',
    description: 'Notices of subscriptions',
  },
  relayWaits: {
    kind: 'counter',
    name: 'brokerwire.relay.sink.waits',
    unit: '{wait}',
    description: 'Starts of an app that had to wait for the sink',
  },
  relayTakeovers: {
    kind: 'counter',
    name: 'brokerwire.relay.takeovers',
    unit: '{takeover}',
    description: 'Times that this relay became the writer of the stream',
  },
  relayAppState: {
    kind: 'gauge',
    name: 'brokerwire.relay.app.state',
    unit: '1',
    description: '1 for the state of an app in this relay, 0 for all others',
  },
  relayTokenState: {
    kind: 'gauge',
    name: 'brokerwire.relay.token.state',
    unit: '1',
    description: '1 for the state of the access token, 0 for all others',
  },
  relayStoreFailures: {
    kind: 'counter',
    name: 'brokerwire.relay.store.failures',
    unit: '{failure}',
    description: 'Requests to the store that failed; they are retried',
  },
  relayMembershipLost: {
    kind: 'counter',
    name: 'brokerwire.relay.membership_lost',
    unit: '{loss}',
    description: 'Times that this relay lost its membership, because the store failed or responded too late',
  },
  relayMembers: {
    kind: 'gauge',
    name: 'brokerwire.relay.members',
    unit: '{relay}',
    description: 'Relays in the cluster',
  },
} as const satisfies Record<string, Metric>
