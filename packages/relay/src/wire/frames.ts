/** The frames of events: all fields that a message in the stream carries in its headers. */
import type { StreamItem, UndecodableReason } from '@brokerwire/streams'

type UnknownFields = Extract<StreamItem, { readonly type: 'event' }>['unknownFields']

/** The frame of a trade or position event, without its payload. */
export interface RelayedTradeFrame {
  /** The subscription that received the event. */
  readonly subscription: 'trade' | 'position'
  /** Numeric code of the message's kind. */
  readonly eventType: number
  /** The subscribe type of the frame, as received. */
  readonly subscribeType: number
  /** The content type of the payload, as received. */
  readonly contentType: string
  /** The request id of the frame, as received. */
  readonly requestId: string
  /** The timestamp by the service's clock, as received. */
  readonly timestamp: string
  /** Fields of the frame that the schema does not have. */
  readonly unknownFields: UnknownFields
  /** When the event was received, by the relay's clock. Milliseconds since the Unix epoch. */
  readonly receivedAtMs: number
}

/** The frame of a module event, without its payload. */
export interface RelayedModuleFrame {
  /** The subscription that received the event. */
  readonly subscription: 'module'
  /** Numeric type of the module service's message. */
  readonly messageType: number
  /** The id of the event, as received. */
  readonly id: string
  /** The event type of the module, as received. */
  readonly eventType: string
  /** The position for resuming, as received; empty if there is no position. */
  readonly position: string
  /** The timestamp by the service's clock, as received. */
  readonly timestamp: string
  /** The version of the event, as received. */
  readonly version: string
  /** Fields of the frame that the schema does not have. */
  readonly unknownFields: UnknownFields
  /** When the event was received, by the relay's clock. Milliseconds since the Unix epoch. */
  readonly receivedAtMs: number
}

/** The frame of any event. */
export type RelayedFrame = RelayedTradeFrame | RelayedModuleFrame

/** A message that the relay received and could not decode, without its bytes. */
export interface RelayedUndecodable {
  /** The subscription that received the message. */
  readonly subscription: 'trade' | 'position' | 'module'
  /** The reason as a code. */
  readonly reason: UndecodableReason
  /** The reason as a sentence. */
  readonly message: string
  /** Length of the message in bytes. */
  readonly length: number
  /** When the message was received, by the relay's clock. Milliseconds since the Unix epoch. */
  readonly receivedAtMs: number
}
