/** The entry point `@brokerwire/relay`: relays event streams of app keys into streams for any number of consumers. */

export type { SecretRef } from './config/fields.ts'
export {
  parseRelayConfig,
  type RelayAppConfig,
  type RelayConfig,
  type RelaySinkConfig,
  type RelayStoreConfig,
  type RelayWebhookConfig,
  relayConfigSchema,
} from './config/parse-config.ts'
export type {
  RelayAppReport,
  RelayAppSource,
  RelayAppState,
  RelayBackpressureReport,
  RelayConnectionWaitReport,
  RelayDuplicatesReport,
  RelayMembershipLostReport,
  RelayMembersReport,
  RelayNoticeReport,
  RelayObserver,
  RelayOversizedReport,
  RelaySinkWaitReport,
  RelayStoredReport,
  RelayStoreFailedReport,
  RelaySubscriptionReport,
  RelayTakeoverReport,
  RelayTokenReport,
  RelayTokenState,
} from './observer.ts'
export { type HealthServer, type MetricsSource, serveHealth } from './relay/health.ts'
export { resolveSecret } from './relay/secrets.ts'
export {
  checkRelay,
  type RelayStatus,
  type RunningRelay,
  type StartRelayOptions,
  startRelay,
} from './relay/start-relay.ts'
export { isRelayError, RelayError, type RelayErrorCode, type RelayErrorDetails } from './relay-error.ts'
export {
  type BatchSinkOptions,
  type BatchStorage,
  createBatchSink,
  type StreamEnd,
} from './sink/batch-sink.ts'
export {
  type EventSink,
  entryBytes,
  type PublishAck,
  type Retention,
  type SinkEntry,
  type SinkState,
  type SinkTail,
  type StoredEntry,
  type TailRequest,
} from './sink/event-sink.ts'
export { createFileSink } from './sink/file-sink.ts'
export type { FileSinkOptions } from './sink/file-sink-options.ts'
export { createMemoryStream, type MemoryStream } from './sink/memory-sink.ts'
export {
  type SinkMismatch,
  sinkClosed,
  sinkMisconfigured,
  sinkUnavailable,
  streamTruncated,
  writerFenced,
} from './sink/sink-errors.ts'
export { type CloudEventAttributes, cloudEventAttributes } from './wire/cloud-events.ts'
export type {
  RelayedFrame,
  RelayedModuleFrame,
  RelayedTradeFrame,
  RelayedUndecodable,
} from './wire/frames.ts'
export {
  eventHeaders,
  type GetHeader,
  type Headers,
  type MessageHeaders,
  type Oversize,
  oversizedHeaders,
  parseHeaders,
  undecodableHeaders,
} from './wire/headers.ts'
export {
  type OversizedItem,
  parseItem,
  type RelayItem,
  type StreamMessage,
  type TracedItem,
} from './wire/items.ts'
export type {
  CompleteUntil,
  CompleteUntilBySubscription,
  ReaderGap,
  RelayedNotice,
  WriterChangedNotice,
  WriterGap,
} from './wire/notices.ts'
export {
  eventSubject,
  getAccount,
  type MessageSource,
  matchesSubject,
  noticeSubject,
  type StreamAddress,
  type Subscription,
  streamName,
  streamSubjects,
  subjectRoot,
  undecodableSubject,
} from './wire/subjects.ts'
