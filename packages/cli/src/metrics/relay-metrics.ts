/**
 * The metrics of `brokerwire relay`. The label `app` is the name of an app in the configuration. A metric that `@brokerwire/otel` also
 * has is the same there: name, kind, meaning, buckets and labels. A test in tools/codegen/metrics compares them.
 */
import type { MetricTable } from './definition.ts'

const LAG_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600]

export const RELAY_METRICS = {
  info: {
    name: 'brokerwire_relay_info',
    type: 'gauge',
    labels: ['version', 'cluster', 'relay'],
    help: 'Always 1; the labels have the version of the command, the cluster, and the name of this relay',
  },
  ready: {
    name: 'brokerwire_relay_ready',
    type: 'gauge',
    labels: [],
    help: '1 if /readyz responds with 200, otherwise 0',
  },
  members: {
    name: 'brokerwire_relay_members',
    type: 'gauge',
    labels: [],
    help: 'Relays in the cluster',
  },
  membershipLost: {
    name: 'brokerwire_relay_membership_lost_total',
    type: 'counter',
    labels: [],
    help: 'Times that this relay lost its membership, because the store failed or responded too late',
  },
  storeFailures: {
    name: 'brokerwire_relay_store_failures_total',
    type: 'counter',
    labels: [],
    help: 'Requests to the store that failed; they are retried',
  },
  appWriting: {
    name: 'brokerwire_relay_app_writing',
    type: 'gauge',
    labels: ['app'],
    help: '1 if this relay writes the stream of the app, and the sink accepts writes; otherwise 0, also while another relay writes it',
  },
  takeovers: {
    name: 'brokerwire_relay_takeovers_total',
    type: 'counter',
    labels: ['app', 'previous'],
    help: 'Times that this relay became the writer of the stream',
  },
  appFailures: {
    name: 'brokerwire_relay_app_failures_total',
    type: 'counter',
    labels: ['app'],
    help: 'Times that the app failed on this relay; it is started again',
  },
  sinkUp: {
    name: 'brokerwire_relay_sink_up',
    type: 'gauge',
    labels: ['app'],
    help: '1 if the sink of the app accepts writes, 0 while the relay waits for it',
  },
  messages: {
    name: 'brokerwire_relay_messages_total',
    type: 'counter',
    labels: ['app'],
    help: 'Messages that were stored, including notices',
  },
  io: {
    name: 'brokerwire_relay_io_bytes_total',
    type: 'counter',
    labels: ['app'],
    help: 'Memory of the stored messages while they waited',
  },
  lastSequence: {
    name: 'brokerwire_relay_last_sequence',
    type: 'gauge',
    labels: ['app'],
    help: 'Sequence of the last stored message',
  },
  receiveLag: {
    name: 'brokerwire_relay_receive_lag_seconds',
    type: 'histogram',
    labels: ['app'],
    help: 'Time from the timestamp of the first event of a batch to its receipt',
    buckets: LAG_BUCKETS,
  },
  storeLag: {
    name: 'brokerwire_relay_store_lag_seconds',
    type: 'histogram',
    labels: ['app'],
    help: 'Time from the receipt of the first event of a batch until the batch was stored',
    buckets: LAG_BUCKETS,
  },
  duplicates: {
    name: 'brokerwire_relay_duplicates_total',
    type: 'counter',
    labels: ['app'],
    help: 'Events that the stream already contained',
  },
  oversized: {
    name: 'brokerwire_relay_oversized_events_total',
    type: 'counter',
    labels: ['app'],
    help: 'Events that were longer than the sink accepts',
  },
  paused: {
    name: 'brokerwire_relay_paused',
    type: 'gauge',
    labels: ['app'],
    help: '1 while reading is paused because bufferBytes wait to be stored, otherwise 0',
  },
  pauses: {
    name: 'brokerwire_relay_pauses_total',
    type: 'counter',
    labels: ['app'],
    help: 'Times that reading was paused',
  },
  streamUp: {
    name: 'brokerwire_stream_up',
    type: 'gauge',
    labels: ['app', 'subscription'],
    help: '1 while the subscription is live, 0 while it is opened; only of the apps of this relay',
  },
  lastReceived: {
    name: 'brokerwire_stream_last_received_timestamp_seconds',
    type: 'gauge',
    labels: ['app', 'subscription'],
    help: 'Time of the last received frame, including pings, in seconds since the Unix epoch; only of the apps of this relay',
  },
  events: {
    name: 'brokerwire_stream_events_total',
    type: 'counter',
    labels: ['app', 'subscription'],
    help: 'Events that were received, without discarded ones',
  },
  undecodable: {
    name: 'brokerwire_stream_undecodable_total',
    type: 'counter',
    labels: ['app', 'subscription'],
    help: 'Messages that were received and cannot be decoded',
  },
  gaps: {
    name: 'brokerwire_relay_gaps_total',
    type: 'counter',
    labels: ['app', 'subscription', 'cause'],
    help: 'Gap notices in the stream of the app: intervals in which events may be missing, by their cause',
  },
  gapSeconds: {
    name: 'brokerwire_relay_gap_seconds_total',
    type: 'counter',
    labels: ['app', 'subscription', 'cause'],
    help: 'Length of the gaps in the stream of the app, by the clock of the service, in seconds',
  },
  reconnects: {
    name: 'brokerwire_stream_reconnects_total',
    type: 'counter',
    labels: ['app', 'subscription', 'reason'],
    help: 'Connections and attempts that failed and are tried again',
  },
  notices: {
    name: 'brokerwire_relay_notices_total',
    type: 'counter',
    labels: ['app', 'subscription', 'kind'],
    help: 'Notices of subscriptions',
  },
  tokenState: {
    name: 'brokerwire_relay_token_state',
    type: 'gauge',
    labels: ['app', 'state'],
    help: '1 for the state of the access token, 0 for all others',
  },
} as const satisfies MetricTable
