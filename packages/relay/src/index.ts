/** The entry point `@brokerwire/relay`: relays event streams of app keys into streams for any number of consumers. */

export type { AppRelayObserver } from './app/app-relay.ts'
export type { OversizedReport } from './app/oversized-events.ts'
export type { ClusterObserver } from './cluster/cluster.ts'
export type { SecretPlace } from './config/fields.ts'
export {
  type RelayAppConfig,
  type RelayConfig,
  type RelaySinkConfig,
  type RelayStoreConfig,
  readRelayConfig,
  relayConfigSchema,
} from './config/read-config.ts'
export type { TokenObserver, TokenState } from './relay/app-token.ts'
export { type HealthServer, serveHealth } from './relay/health.ts'
export { readSecretPlace } from './relay/secrets.ts'
export {
  checkRelay,
  type RelayStatus,
  type RunningRelay,
  type StartRelayOptions,
  startRelay,
} from './relay/start-relay.ts'
export { isRelayError, RelayError, type RelayErrorCode, type RelayErrorDetails } from './relay-error.ts'
export type {
  Acknowledged,
  EventSink,
  Oversize,
  Retention,
  SinkEntry,
  SinkTail,
  StoredEntry,
  TailRequest,
} from './sink/event-sink.ts'
export { createFileSink } from './sink/file-sink.ts'
export type { FileSinkOptions, FileSinkState } from './sink/file-sink-options.ts'
export { createMemoryStream, type MemoryStream } from './sink/memory-sink.ts'
export type {
  RelayedFrame,
  RelayedModuleFrame,
  RelayedTradeFrame,
  RelayedUndecodable,
} from './wire/frames.ts'
export {
  eventHeaders,
  type HeaderReader,
  type Headers,
  type RelayedHead,
  readHeaders,
  type TooLarge,
  tooLargeHeaders,
  undecodableHeaders,
} from './wire/headers.ts'
export { type RelayItem, readItem, type StreamMessage, type TooLargeItem } from './wire/items.ts'
export type {
  CompleteUntil,
  CompleteUntilBySubscription,
  ReaderGap,
  RelayedNotice,
  WriterChangedNotice,
  WriterGap,
} from './wire/notices.ts'
export {
  accountOf,
  eventSubject,
  noticeSubject,
  type RelayStream,
  type StreamAddress,
  type Subscription,
  streamName,
  subjectRoot,
  subjectsOf,
  undecodableSubject,
} from './wire/subjects.ts'
