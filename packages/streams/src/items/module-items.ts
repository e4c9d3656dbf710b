/**
 * Events of the module stream.
 *
 * The payload repeats the id, the event type and the position. The frame's values are used; `decode()` reports a difference as
 * an issue.
 */
import type { DecodeResult, ModuleFrame } from '@brokerwire/payloads'
import { ModuleMessageType } from '@brokerwire/protos'
import type { UnknownField } from '@bufbuild/protobuf'
import type { ReceivedModuleFrame } from './module-frames.ts'

/** Decodes the payload of a module frame. */
export type ModuleDecoder<Event> = (frame: ModuleFrame) => DecodeResult<Event>

/** The position of an event among the events of its type, for the option `from`. Opaque: store it, but do not compare it. */
export interface ModuleCursor {
  /** Event type of the event, such as `'FUNDING'`. */
  readonly eventType: string
  /** Position of the event as received; never empty. */
  readonly position: string
}

/** An event of the module stream. */
export interface ModuleItem<Event> {
  /** Distinguishes events from notices and undecodable messages. */
  readonly type: 'event'
  /** The service that sent the event. */
  readonly service: 'module'
  /** `'unknown'` if the message type is not in the service's enum. */
  readonly kind: 'module' | 'unknown'
  /** Number of the message type; 2 is an event. */
  readonly messageType: number
  /** Id of the event. Duplicates have the same id. */
  readonly id: string
  /** Event type as received, such as `'FUNDING'`. */
  readonly eventType: string
  /** Position among the events of this type. May be empty. */
  readonly position: string
  /** Timestamp as received. Events have ISO 8601 with nanoseconds. */
  readonly timestamp: string
  /** Version of the payload as received. */
  readonly version: string
  /** Payload as received, normally JSON. */
  readonly payload: string
  /** Fields of the message that the protobuf schema does not have, with their numbers. */
  readonly unknownFields: readonly UnknownField[]
  /** Time of receipt by this host's clock, in milliseconds since the Unix epoch. */
  readonly receivedAtMs: number
  /** Cursor to store in your own transaction. `undefined` if the event has no position. */
  readonly cursor: ModuleCursor | undefined
  /** Decodes the payload at the first call, and returns the same result at further calls. Never throws. */
  decode(): DecodeResult<Event>
  /**
   * Acknowledges the event. Required with `ack: 'manual'`. With `'auto'` it commits the event before you ask for the next item.
   * Further calls, and calls after the end of the stream, do nothing.
   */
  ack(): void
}

const EVENT: number = ModuleMessageType.Event

/** Receives the acknowledgements of one event type. */
export interface AckReceiver {
  /** Acknowledges an event by its number; `id` and `position` are committed. */
  ack(number: number, id: string, position: string): void
}

/** An unacknowledged event. */
export interface Unacked {
  /** Receiver of the acknowledgement. */
  readonly receiver: AckReceiver
  /** Number of the event among the events of its type. */
  readonly number: number
  /** Id to commit; empty if it was too long. */
  readonly id: string
  /** Position to commit; empty if it was too long. */
  readonly position: string
}

/**
 * The item of a frame. Its own properties are plain data, so it can be cloned and sent to a worker. Methods are inherited, and
 * the rest is private.
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
   * @param receivedAtMs - Time of receipt by this host's clock, in milliseconds since the Unix epoch.
   * @param decoded - The decoded payload, if the selection needed it.
   * @param unacked - Used by `ack()`. Without it, `ack()` does nothing.
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

  /** Acknowledges an item, even if the consumer changed its properties. */
  static ack(item: object): void {
    if (#unacked in item) acknowledge((item as ReceivedModuleItem<unknown>).#unacked)
  }
}

function acknowledge(unacked: Unacked | undefined): void {
  unacked?.receiver.ack(unacked.number, unacked.id, unacked.position)
}
