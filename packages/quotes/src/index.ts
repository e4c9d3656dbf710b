/** Real-time market data over MQTT. */
export type { CallOutcome, Refusal } from './connection/call-outcome.ts'
export { callOutcome } from './connection/call-outcome.ts'
export type { StreamingCall } from './connection/calls.ts'
export type {
  ConnectionEffect,
  ConnectionEvent,
  ConnectionOutcome,
  ConnectionState,
  ConnectionTimer,
} from './connection/machine-types.ts'
export { type QuotesPolicy, type QuotesSupervisionOptions, readPolicy } from './connection/policy.ts'
export { connectionTransition, initialConnectionState } from './connection/transition.ts'
export { MqttDecoder } from './mqtt/decoder.ts'
export { DISCONNECT, encodeConnect, encodePuback, isMqttText, PINGREQ } from './mqtt/encode.ts'
export type {
  ConnackPacket,
  ConnectPacket,
  MqttFault,
  MqttPacket,
  OtherPacket,
  PingrespPacket,
  PublishPacket,
} from './mqtt/packets.ts'
export type { QuotesNotice, QuotesNoticeKind, QuotesReconnectReason, QuotesSymbol } from './notices.ts'
export { isQuotesError, QuotesError, type QuotesErrorCode, type QuotesErrorDetails } from './quotes-error.ts'
export { type Placement, place } from './selection/placement.ts'
export type { QuoteType, Want, Wants } from './selection/wants.ts'
