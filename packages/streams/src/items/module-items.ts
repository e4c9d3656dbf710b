/**
 * Events of the module stream.
 *
 * The frame's id, type and position win over those of the envelope inside the payload; `decode()` reports a
 * difference among its issues.
 */

import type { DecodeResult, ModuleFrame } from '@brokerwire/payloads'
import { ModuleMessageType, type ModuleSubscribeResponse } from '@brokerwire/protos'
import type { UnknownField } from '@bufbuild/protobuf'
import { classesOf, type FrameReader } from '../delivery/delivery.ts'
import { NO_FIELDS } from './item-bytes.ts'

/** Where an event stands in the stream of its event type. Opaque: keep it, send it back, compare it with nothing. */
export interface ModuleCursor {
  readonly eventType: string
  readonly position: string
}

/** An event of the module stream. */
export interface ModuleItem<Event> {
  readonly type: 'event'
  readonly service: 'module'
  /** `'unknown'`: a message kind outside the service's enum. */
  readonly kind: 'module' | 'unknown'
  /** Number of the message kind; 2 is an event. */
  readonly messageType: number
  /** Repeats are recognized by it. */
  readonly id: string
  readonly eventType: string
  /** May be empty. */
  readonly position: string
  /** As received: ISO 8601 with nanoseconds on events. */
  readonly timestamp: string
  readonly version: string
  /** The payload as received. */
  readonly payload: string
  /** Fields of the frame that nobody knows, with their numbers. */
  readonly unknownFields: readonly UnknownField[]
  /** Milliseconds since the Unix epoch, on this host's clock. */
  readonly receivedAtMs: number
  /** For a transaction of the caller's own. `undefined` where the event has no position. */
  readonly cursor: ModuleCursor | undefined
  /** Parses the payload, once. Never throws. */
  decode(): DecodeResult<Event>
  /**
   * Marks the event as handled. Needed with `ack: 'manual'` only; harmless otherwise, when called again, and after the
   * stream was left, where it commits nothing.
   */
  ack(): void
}

/** NOT numbered like the trade service's frames. */
const classOf = classesOf({
  [ModuleMessageType.Event]: 'event',
  [ModuleMessageType.SubscribeSuccess]: 'subscribed',
  [ModuleMessageType.Ping]: 'ping',
  [ModuleMessageType.AuthError]: 'auth-error',
  [ModuleMessageType.NumOfConnExceed]: 'connection-limit',
  [ModuleMessageType.SubscribeExpired]: 'expired',
})

/** What supervision reads of a frame. */
export const moduleFrames: FrameReader<ModuleSubscribeResponse> = {
  classOf: ({ type }) => classOf(type),
  serverMs: ({ timestamp }) => (/^\d{12,14}$/.test(timestamp) ? Number(timestamp) : undefined),
  connectionId: () => undefined,
}

/** Where an item is acked. */
export interface AckPlace {
  ack(ticket: number): void
}

/** Makes the item of a frame. Its functions are its own, so that they survive a copy of the item. */
export function moduleItem<Event>(
  frame: ModuleSubscribeResponse,
  receivedAtMs: number,
  decode: (frame: ModuleFrame) => DecodeResult<Event>,
  place: AckPlace,
  ticket: number,
): ModuleItem<Event> {
  const { eventType, position } = frame
  const messageType: number = frame.type
  let made: DecodeResult<Event> | undefined
  const item: ModuleItem<Event> = {
    type: 'event',
    service: 'module',
    kind: messageType === ModuleMessageType.Event ? 'module' : 'unknown',
    messageType,
    id: frame.id,
    eventType,
    position,
    timestamp: frame.timestamp,
    version: frame.version,
    payload: frame.payload,
    unknownFields: frame.$unknown ?? NO_FIELDS,
    receivedAtMs,
    cursor: position === '' ? undefined : { eventType, position },
    decode: () => {
      made ??= decode(item)
      return made
    },
    ack: () => place.ack(ticket),
  }
  return item
}
