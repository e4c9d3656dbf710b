/**
 * The attributes of the metrics. They have few values: no account id, app key, order id or path is one. docs/reference/metrics.md is generated
 * from this table, and a test compares it with the attributes that are recorded.
 */
import type { METRICS } from './metrics.ts'

const STREAM = ['brokerwire.stream.id', 'brokerwire.stream.kind']
const CLIENT = ['brokerwire.client.id']
const APP = ['brokerwire.relay.app']

/** The names of the attributes of each metric. */
export const METRIC_ATTRIBUTES: Readonly<Record<keyof typeof METRICS, readonly string[]>> = {
  httpDuration: [
    'http.request.method',
    'http.response.status_code',
    'error.type',
    'server.address',
    'server.port',
    'brokerwire.operation',
  ],
  httpRetries: ['server.address', 'brokerwire.operation', 'error.type'],
  streamEvents: STREAM,
  streamIo: STREAM,
  streamDiscarded: [...STREAM, 'brokerwire.discard.reason'],
  streamUndecodable: STREAM,
  streamLag: STREAM,
  streamGap: [...STREAM, 'brokerwire.gap.cause'],
  streamReconnects: [...STREAM, 'brokerwire.reconnect.reason'],
  streamNotices: [...STREAM, 'brokerwire.notice.kind'],
  streamState: [...STREAM, 'brokerwire.state'],
  streamIdle: STREAM,
  streamQueueDepth: STREAM,
  tokenCallDuration: [...CLIENT, 'brokerwire.token.call', 'error.type'],
  tokenSecondFactors: CLIENT,
  tokenState: [...CLIENT, 'brokerwire.state'],
  tokenTimeToExpiry: CLIENT,
  limiterWaits: [...CLIENT, 'brokerwire.operation'],
  quotesMessages: CLIENT,
  quotesIo: CLIENT,
  quotesDiscarded: [...CLIENT, 'brokerwire.discard.reason'],
  quotesLag: CLIENT,
  quotesGap: CLIENT,
  quotesReconnects: [...CLIENT, 'brokerwire.reconnect.reason'],
  quotesNotices: [...CLIENT, 'brokerwire.notice.kind'],
  quotesState: [...CLIENT, 'brokerwire.quotes.connection', 'brokerwire.state'],
  quotesQueueDepth: CLIENT,
  relayMessages: APP,
  relayIo: APP,
  relayDuplicates: APP,
  relayOversized: APP,
  relayReceiveLag: APP,
  relayStoreLag: APP,
  relayLastSequence: APP,
  relayBackpressure: APP,
  relayNotices: [...APP, 'brokerwire.relay.subscription', 'brokerwire.notice.kind'],
  relayWaits: APP,
  relayTakeovers: [...APP, 'brokerwire.relay.previous'],
  relayAppState: [...APP, 'brokerwire.state'],
  relayTokenState: [...APP, 'brokerwire.state'],
  relayStoreFailures: [],
  relayMembershipLost: [],
  relayMembers: [],
}
