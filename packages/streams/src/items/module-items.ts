/**
 * Events of the module stream.
 *
 * The frame's id, type and position win over those of the envelope inside the payload; `decode()` reports a
 * difference among its issues.
 */
import type { DecodeResult, ModuleFrame } from '@brokerwire/payloads'
import { ModuleMessageType } from '@brokerwire/protos'
import type { UnknownField } from '@bufbuild/protobuf'
import { fieldsOfSubscribeResponse } from '../transport/decoding/gen/grpc/event/event_service_decoders.ts'
import { KnownTexts } from '../transport/decoding/gen/range-reader.ts'
import type { Decode, Decoder } from '../transport/message-batch.ts'
import { byCode, type FrameClass } from './frame-class.ts'
import { fieldBytes, NO_FIELDS } from './item-bytes.ts'

/** Decodes a module frame. */
export type ModuleDecoder<Event> = (frame: ModuleFrame) => DecodeResult<Event>

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
   * Marks the event as handled. Needed with `ack: 'manual'` only; with `'auto'` it commits before the next one is asked
   * for. Harmless when called again, and after the stream was left, where it commits nothing.
   */
  ack(): void
}

const EVENT: number = ModuleMessageType.Event

/** NOT numbered like the trade service's frames. */
const classOf = byCode<FrameClass>({
  [ModuleMessageType.Event]: 'event',
  [ModuleMessageType.SubscribeSuccess]: 'subscribed',
  [ModuleMessageType.Ping]: 'ping',
  [ModuleMessageType.AuthError]: 'auth-error',
  [ModuleMessageType.NumOfConnExceed]: 'connection-limit',
  [ModuleMessageType.SubscribeExpired]: 'expired',
})

/** Control frames say milliseconds, events an instant of ISO 8601. */
function instantOf(timestamp: string): number | undefined {
  if (/^\d{12,14}$/.test(timestamp)) return Number(timestamp)
  const ms = /^\d{4}-\d\d-\d\dT/.test(timestamp) ? Date.parse(timestamp) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

/** What supervision reads of a frame. */
export const moduleFrames = {
  classOf: ({ messageType }: ModuleItem<unknown>) => classOf(messageType),
  serverMs: ({ timestamp }: ModuleItem<unknown>) => instantOf(timestamp),
}

const NOTHING_TO_ACK = (): void => {}

/** Makes the items of one stream straight from the wire. */
export class ModuleItems<Event> implements Decoder<ModuleItem<Event>> {
  readonly #texts = new KnownTexts()
  /** As declarations say it: the texts name what only Node has. */
  readonly texts: Decoder<unknown>['texts'] = this.#texts
  readonly besides: Decoder<ModuleItem<Event>>['besides'] = fieldBytes
  readonly #decode: ModuleDecoder<Event>

  constructor(decode: ModuleDecoder<Event>) {
    this.#decode = decode
  }

  readonly decode: Decode<ModuleItem<Event>> = (bytes, start, end) =>
    fieldsOfSubscribeResponse(bytes as Buffer, start, end, this.#texts, this.#make)

  /** The functions of an item are its own, so that they survive a copy of the item. */
  readonly #make: Parameters<typeof fieldsOfSubscribeResponse<ModuleItem<Event>>>[4] = (
    messageType,
    id,
    eventType,
    position,
    timestamp,
    version,
    payload,
    unknown,
  ) => {
    const decode = this.#decode
    let made: DecodeResult<Event> | undefined
    const item: ModuleItem<Event> = {
      type: 'event',
      service: 'module',
      kind: messageType === EVENT ? 'module' : 'unknown',
      messageType,
      id,
      eventType,
      position,
      timestamp,
      version,
      payload,
      unknownFields: unknown ?? NO_FIELDS,
      receivedAtMs: Number.NaN,
      cursor: position === '' ? undefined : { eventType, position },
      decode: () => {
        made ??= decode(item)
        return made
      },
      ack: NOTHING_TO_ACK,
    }
    return item
  }
}
