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
const CLIENT = ['brokerwire.client.id']
const APP = ['brokerwire.relay.app']

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
  tokenCallDuration: {
    kind: 'histogram',
    name: 'brokerwire.token.call.duration',
    unit: 's',
    description: 'Duration of calls of the token endpoints, with retries and waits.',
    boundaries: LAG_SECONDS,
    attributes: [...CLIENT, 'brokerwire.token.call', 'error.type'],
  },
  tokenSecondFactors: {
    kind: 'counter',
    name: 'brokerwire.token.second_factors',
    unit: '{request}',
    description: 'Second factors that a person was asked for.',
    attributes: CLIENT,
  },
  tokenState: {
    kind: 'gauge',
    name: 'brokerwire.token.state',
    unit: '1',
    description: '1 for the state of the access token, 0 for all others.',
    attributes: [...CLIENT, 'brokerwire.state'],
  },
  tokenTimeToExpiry: {
    kind: 'gauge',
    name: 'brokerwire.token.time_to_expiry',
    unit: 's',
    description: 'Time until the access token expires; 0 without a usable token or an expiry.',
    attributes: CLIENT,
  },
  limiterWaits: {
    kind: 'counter',
    name: 'brokerwire.rate_limiter.waits',
    unit: '{wait}',
    description: 'Calls and operations that had to wait for a rate limit.',
    attributes: [...CLIENT, 'brokerwire.operation'],
  },
  quotesMessages: {
    kind: 'counter',
    name: 'brokerwire.quotes.messages',
    unit: '{message}',
    description: 'Messages of market data that were received.',
    attributes: CLIENT,
  },
  quotesIo: {
    kind: 'counter',
    name: 'brokerwire.quotes.io',
    unit: 'By',
    description: 'Payload bytes of the messages of market data.',
    attributes: CLIENT,
  },
  quotesDiscarded: {
    kind: 'counter',
    name: 'brokerwire.quotes.discarded',
    unit: '{message}',
    description: 'Queued items that newer ones replaced, or that exceeded a limit of the buffer.',
    attributes: [...CLIENT, 'brokerwire.discard.reason'],
  },
  quotesLag: {
    kind: 'histogram',
    name: 'brokerwire.quotes.lag',
    unit: 's',
    description: 'Time from the timestamp of the last message of a batch to its receipt.',
    boundaries: LAG_SECONDS,
    attributes: CLIENT,
  },
  quotesGap: {
    kind: 'histogram',
    name: 'brokerwire.quotes.gap',
    unit: 's',
    description: 'Length of the intervals in which messages were missed.',
    boundaries: LAG_SECONDS,
    attributes: CLIENT,
  },
  quotesReconnects: {
    kind: 'counter',
    name: 'brokerwire.quotes.reconnects',
    unit: '{reconnect}',
    description: 'Connections that ended and are opened again.',
    attributes: [...CLIENT, 'brokerwire.reconnect.reason'],
  },
  quotesNotices: {
    kind: 'counter',
    name: 'brokerwire.quotes.notices',
    unit: '{notice}',
    description: 'Notices of market data.',
    attributes: [...CLIENT, 'brokerwire.notice.kind'],
  },
  quotesState: {
    kind: 'gauge',
    name: 'brokerwire.quotes.connection.state',
    unit: '1',
    description: '1 for the phase of a connection, 0 for all others.',
    attributes: [...CLIENT, 'brokerwire.quotes.connection', 'brokerwire.state'],
  },
  quotesQueueDepth: {
    kind: 'gauge',
    name: 'brokerwire.quotes.queue.depth',
    unit: '{item}',
    description: 'Items that wait for the consumer, as of the last batch.',
    attributes: CLIENT,
  },
  relayMessages: {
    kind: 'counter',
    name: 'brokerwire.relay.messages',
    unit: '{message}',
    description: 'Messages that were stored in the stream of an app.',
    attributes: APP,
  },
  relayIo: {
    kind: 'counter',
    name: 'brokerwire.relay.io',
    unit: 'By',
    description: 'Memory of the stored messages while they waited.',
    attributes: APP,
  },
  relayDuplicates: {
    kind: 'counter',
    name: 'brokerwire.relay.duplicates',
    unit: '{event}',
    description: 'Events that the stream already had.',
    attributes: APP,
  },
  relayOversized: {
    kind: 'counter',
    name: 'brokerwire.relay.oversized',
    unit: '{event}',
    description: 'Events that were longer than the sink accepts.',
    attributes: APP,
  },
  relayReceiveLag: {
    kind: 'histogram',
    name: 'brokerwire.relay.receive.lag',
    unit: 's',
    description: 'Time from the timestamp of the first event of a batch to its receipt.',
    boundaries: LAG_SECONDS,
    attributes: APP,
  },
  relayStoreLag: {
    kind: 'histogram',
    name: 'brokerwire.relay.store.lag',
    unit: 's',
    description: 'Time from the receipt of the first event of a batch until the batch was stored.',
    boundaries: LAG_SECONDS,
    attributes: APP,
  },
  relaySequence: {
    kind: 'gauge',
    name: 'brokerwire.relay.sequence',
    unit: '{message}',
    description: 'Sequence of the last stored message.',
    attributes: APP,
  },
  relayBackpressure: {
    kind: 'gauge',
    name: 'brokerwire.relay.backpressure',
    unit: 'By',
    description: 'Bytes that wait to be stored while reading is paused; 0 while it is not.',
    attributes: APP,
  },
  relayNotices: {
    kind: 'counter',
    name: 'brokerwire.relay.notices',
    unit: '{notice}',
    description: 'Notices of subscriptions.',
    attributes: [...APP, 'brokerwire.relay.subscription', 'brokerwire.notice.kind'],
  },
  relayWaits: {
    kind: 'counter',
    name: 'brokerwire.relay.sink.waits',
    unit: '{wait}',
    description: 'Starts of an app that had to wait for the sink.',
    attributes: APP,
  },
  relayTakeovers: {
    kind: 'counter',
    name: 'brokerwire.relay.takeovers',
    unit: '{takeover}',
    description: 'Apps whose stream this relay began to write.',
    attributes: [...APP, 'brokerwire.relay.released'],
  },
  relayAppState: {
    kind: 'gauge',
    name: 'brokerwire.relay.app.state',
    unit: '1',
    description: '1 for the state of an app in this relay, 0 for all others.',
    attributes: [...APP, 'brokerwire.state'],
  },
  relayTokenState: {
    kind: 'gauge',
    name: 'brokerwire.relay.token.state',
    unit: '1',
    description: '1 for the state of a token of an app, 0 for all others.',
    attributes: [...APP, 'brokerwire.state'],
  },
  relayStoreFailures: {
    kind: 'counter',
    name: 'brokerwire.relay.store.failures',
    unit: '{failure}',
    description: 'Writes to the store that failed.',
    attributes: [],
  },
  relayMembershipsLost: {
    kind: 'counter',
    name: 'brokerwire.relay.memberships.lost',
    unit: '{membership}',
    description: 'Memberships of the cluster that this relay lost.',
    attributes: [],
  },
  relayMembers: {
    kind: 'gauge',
    name: 'brokerwire.relay.members',
    unit: '{relay}',
    description: 'Members of the cluster.',
    attributes: [],
  },
} as const satisfies Record<string, Metric>
