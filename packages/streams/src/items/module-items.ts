/**
 * Events of the module stream.
 *
 * The frame's id, type and position win over those of the envelope inside the payload; `decode()` reports a
 * difference among its issues.
 */
import type { DecodeResult, ModuleFrame } from '@brokerwire/payloads'
import { ModuleMessageType } from '@brokerwire/protos'
import type { UnknownField } from '@bufbuild/protobuf'
import type { ReceivedModuleFrame } from './module-frames.ts'

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

/** Takes acknowledgements of the events of one event type. */
export interface AckReceiver {
  ack(number: number, id: string, position: string): void
}

/** An event that waits for its acknowledgement. */
export interface Unacked {
  readonly receiver: AckReceiver
  /** Its number among the events of its type. */
  readonly number: number
  /** Its id and position as they are committed: empty if they were too long. */
  readonly id: string
  readonly position: string
}

/**
 * The item of a frame. Its own properties are data, so that it can be cloned and sent to a worker: the rest is private or
 * inherited.
 */
export class ReceivedModuleItem<Event> implements ModuleItem<Event> {
  readonly type = 'event'
  readonly service = 'module'
  readonly kind: 'module' | 'unknown'
  readonly messageType: number
  readonly id: string
  readonly eventType: string
  readonly position: string
  readonly timestamp: string
  readonly version: string
  readonly payload: string
  readonly unknownFields: readonly UnknownField[]
  readonly receivedAtMs: number
  readonly cursor: ModuleCursor | undefined
  readonly #decoder: ModuleDecoder<Event>
  #decoded: DecodeResult<Event> | undefined
  readonly #unacked: Unacked | undefined

  /**
   * @param receivedAtMs - Milliseconds since the Unix epoch, on this host's clock.
   * @param decoded - The decoded payload, if the selection needed it.
   * @param unacked - For `ack()`; without it there is nothing to acknowledge.
   */
  constructor(
    frame: ReceivedModuleFrame,
    receivedAtMs: number,
    decoder: ModuleDecoder<Event>,
    decoded?: DecodeResult<Event>,
    unacked?: Unacked,
  ) {
    const { messageType, eventType, position } = frame
    this.kind = messageType === EVENT ? 'module' : 'unknown'
    this.messageType = messageType
    this.id = frame.id
    this.eventType = eventType
    this.position = position
    this.timestamp = frame.timestamp
    this.version = frame.version
    this.payload = frame.payload
    this.unknownFields = frame.unknownFields
    this.receivedAtMs = receivedAtMs
    this.cursor = position === '' ? undefined : { eventType, position }
    this.#decoder = decoder
    this.#decoded = decoded
    this.#unacked = unacked
  }

  decode(): DecodeResult<Event> {
    this.#decoded ??= this.#decoder(this)
    return this.#decoded
  }

  ack(): void {
    acknowledge(this.#unacked)
  }

  /** Acknowledges an item whatever its consumer did to its properties. */
  static ack(item: object): void {
    if (#unacked in item) acknowledge((item as ReceivedModuleItem<unknown>).#unacked)
  }
}

function acknowledge(unacked: Unacked | undefined): void {
  unacked?.receiver.ack(unacked.number, unacked.id, unacked.position)
}
