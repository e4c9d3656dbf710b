/** Supervised gRPC event streams. */
export { createSubscriptionBudget, type SubscriptionBudget } from './budget.ts'
export type { BackfillHook, TradeStreamBackfill } from './context.ts'
export {
  createStreams,
  type StreamModuleName,
  type Streams,
  type StreamsOptions,
} from './create-streams.ts'
export type { BatchStream, EventStream, ItemBatch, StreamItem } from './event-stream.ts'
export { decodeItem, type ItemData, type StreamDecoders } from './items/decode-item.ts'
export type { FrameClass } from './items/frame-class.ts'
export type { ModuleCursor, ModuleDecoder, ModuleItem } from './items/module-items.ts'
export type { NoticeBounds, NoticeKind, ReconnectReason, StreamNotice } from './items/notices.ts'
export { TRADE_DATA_CODES } from './items/trade-frames.ts'
export type {
  OrderItem,
  OtherTradeItem,
  PositionItem,
  TradeDecoders,
  TradeStreamEvent,
} from './items/trade-items.ts'
export type { UndecodableItem } from './items/undecodable-item.ts'
export type { ModuleByEventType } from './module-selection.ts'
export type { ModuleStreamItem, ModuleStreamOptions } from './module-stream.ts'
export type {
  StreamAliveReport,
  StreamAttempt,
  StreamBatchReport,
  StreamName,
  StreamNoticeReport,
  StreamPhase,
  StreamSource,
  StreamStateReport,
  StreamsObserver,
  TradeStreamName,
} from './observer.ts'
export {
  isStreamsError,
  StreamsError,
  type StreamsErrorCode,
  type StreamsErrorDetails,
} from './streams-error.ts'
export {
  type ConnectionFactory,
  type GrpcConnectionOptions,
  grpcConnections,
  type StreamConnection,
} from './subscription/connection.ts'
export type { AccessTokenRequiredHook, ClockSkewHook, HeadersHook } from './subscription/hooks.ts'
export {
  type StreamSigner,
  type SubscribeOptions,
  type Subscription,
  subscribe,
} from './subscription/subscribe.ts'
export type {
  SupervisorEffect,
  SupervisorEvent,
  SupervisorMemory,
  SupervisorOutcome,
  SupervisorState,
  SupervisorTimer,
} from './supervisor/machine-types.ts'
export { readPolicy, type SupervisionOptions, type SupervisorPolicy } from './supervisor/policy.ts'
export type { GrpcStatus } from './supervisor/status.ts'
export { initialSupervisorState, supervisorTransition } from './supervisor/transition.ts'
export type {
  AccountStreamOptions,
  TradeStreamItem,
  TradeStreamOptions,
  WithStates,
} from './trade-stream.ts'
export type { KeepAliveOptions } from './transport/options.ts'
export type { UndecodableReason } from './transport/undecodable.ts'
