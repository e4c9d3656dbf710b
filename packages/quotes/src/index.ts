/** Real-time market data over MQTT. */

export {
  type BackfillHook,
  type QuotesBackfill,
  type SnapshotBackfillOptions,
  snapshotBackfill,
} from './backfill.ts'
export type { ClientTokenHook, StreamingPathForm } from './calls/streaming-api.ts'
export type { QuotesSupervisionOptions } from './connection/policy.ts'
export type { MqttLogin } from './connection/runner.ts'
export {
  type BackfilledItem,
  createQuotes,
  type Quotes,
  type QuotesBatch,
  type QuotesBatches,
  type QuotesConnectionStatus,
  type QuotesItem,
  type QuotesSubscription,
} from './create-quotes.ts'
export type {
  KnownMessageItem,
  QuotesDecodeResult,
  QuotesKind,
  QuotesMessage,
  QuotesValues,
  UnknownMessageItem,
} from './items/message-items.ts'
export type {
  BookLevel,
  EventLevel,
  EventQuoteValue,
  EventSnapshotValue,
  EventTickValue,
  OffHoursSession,
  QuoteBasics,
  QuoteValue,
  SnapshotValue,
  TickValue,
  UnknownQuoteField,
} from './items/values.ts'
export type { MqttFault } from './mqtt/packets.ts'
export type { QuotesNotice, QuotesNoticeKind, QuotesReconnectReason, QuotesSymbol } from './notices.ts'
export type {
  QuotesBatchReport,
  QuotesNoticeReport,
  QuotesObserver,
  QuotesSource,
  QuotesStateReport,
} from './observer.ts'
export { isQuotesError, QuotesError, type QuotesErrorCode, type QuotesErrorDetails } from './quotes-error.ts'
export type { LoginHook, QuotesGroup, QuotesOptions, QuotesProduct } from './quotes-options.ts'
export type { QuoteType } from './selection/desired-subscriptions.ts'
export type { QuotesRemoval, QuotesSelection } from './selection/parse-selection.ts'
export type { MqttAddress } from './socket/address.ts'
export type { QuotesSocket, QuotesSocketEvents, QuotesSocketOpener, QuotesTlsOptions } from './socket/port.ts'
export type { WebSocketClass, WebSocketLike } from './socket/web-socket.ts'
