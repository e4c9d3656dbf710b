/** What a message in the stream carries beside its body: the frame of an event, or what a notice is about. */
import type { StreamItem, UndecodableReason } from '@brokerwire/streams'

type UnknownFields = Extract<StreamItem, { readonly type: 'event' }>['unknownFields']

/** The frame of a trade or position event, without its payload. */
export interface RelayedTradeFrame {
  readonly stream: 'trade' | 'position'
  /** Code of the message. */
  readonly eventType: number
  readonly subscribeType: number
  readonly contentType: string
  readonly requestId: string
  readonly timestamp: string
  readonly unknownFields: UnknownFields
  readonly receivedAtMs: number
}

/** The frame of a module event, without its payload. */
export interface RelayedModuleFrame {
  readonly stream: 'module'
  readonly messageType: number
  readonly id: string
  readonly eventType: string
  readonly position: string
  readonly timestamp: string
  readonly version: string
  readonly unknownFields: UnknownFields
  readonly receivedAtMs: number
}

/** The frame of any event. */
export type RelayedFrame = RelayedTradeFrame | RelayedModuleFrame

/** A message that the relay received and could not decode, without its bytes. */
export interface RelayedUndecodable {
  readonly stream: 'trade' | 'position' | 'module'
  readonly reason: UndecodableReason
  /** The reason in words. */
  readonly message: string
  /** Length of the message in bytes. */
  readonly length: number
  /** Milliseconds since the Unix epoch, on the relay's clock. */
  readonly receivedMs: number
}
