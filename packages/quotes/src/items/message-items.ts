/** Messages of market data. `kind` depends only on the topic, so that a malformed payload has the right kind too. */
import {
  EVENT_QUOTE,
  EVENT_SNAPSHOT,
  EVENT_TICK,
  QUOTE,
  SNAPSHOT,
  TICK,
} from '../decoding/gen/quotes/quotes_layouts.ts'
import { type Layout, readTextFields, type TextFields } from '../decoding/gen/text-fields.ts'
import { QuotesError } from '../quotes-error.ts'
import {
  type EventQuoteValue,
  type EventSnapshotValue,
  type EventTickValue,
  eventQuoteValue,
  eventSnapshotValue,
  eventTickValue,
  type QuoteValue,
  quoteValue,
  type SnapshotValue,
  snapshotValue,
  type TickValue,
  tickValue,
} from './values.ts'

/** The decoded value of each kind of message. */
export interface QuotesValues {
  /** Order book of a symbol. */
  readonly quote: QuoteValue
  /** State of a symbol. */
  readonly snapshot: SnapshotValue
  /** Trade of a symbol. */
  readonly tick: TickValue
  /** Order book of an event contract. */
  readonly 'event-quote': EventQuoteValue
  /** State of an event contract. */
  readonly 'event-snapshot': EventSnapshotValue
  /** Trade of an event contract. */
  readonly 'event-tick': EventTickValue
}

/** Kind of a message: the service's topic (facts, market data, Messages). */
export type QuotesKind = keyof QuotesValues

/** The decoded value, or the error with the payload. */
export type QuotesDecodeResult<T> =
  | {
      readonly ok: true
      /** The decoded value of the payload. */
      readonly value: T
    }
  | {
      readonly ok: false
      /** The error, which does not show the payload. */
      readonly error: QuotesError<'QUOTES_PAYLOAD_INVALID'>
      /** The payload as it was received. */
      readonly raw: Uint8Array
    }

/** Fields of every message. */
interface MessageFields {
  /** Distinguishes messages from backfilled values and notices. */
  readonly type: 'message'
  /** Topic as received. */
  readonly topic: string
  /** Symbol from the payload; `undefined` if it has none, or is malformed. */
  readonly symbol: string | undefined
  /**
   * Payload as received. Its `buffer` may contain other payloads too, so pass the array to other code and not
   * its buffer.
   */
  readonly payload: Uint8Array
  /** Number of the connection that received it, from 1. */
  readonly connection: number
  /** Time of receipt by this host's clock, milliseconds since the Unix epoch. */
  readonly receivedAtMs: number
  /** DUP flag of MQTT: the broker may have sent the message before. */
  readonly duplicate: boolean
  /** Number of queued states of the symbol that this one replaced. 0 for trades. */
  readonly replaced: number
}

/** A message of a known topic. */
export type KnownMessageItem = {
  readonly [Kind in QuotesKind]: MessageFields & {
    readonly kind: Kind
    /** Decodes the payload. Never throws. */
    decode(): QuotesDecodeResult<QuotesValues[Kind]>
  }
}[QuotesKind]

/** A message of an unknown topic, undecoded. */
export interface UnknownMessageItem extends MessageFields {
  /** Kind of every message whose topic is not known. */
  readonly kind: 'unknown'
  /** Returns the payload itself. Never throws. */
  decode(): QuotesDecodeResult<Uint8Array>
}

/** A message of market data. */
export type QuotesMessage = KnownMessageItem | UnknownMessageItem

type ToValue = (message: TextFields, layout: Layout) => QuotesValues[QuotesKind]

const DECODERS: Readonly<Record<QuotesKind, readonly [Layout, ToValue]>> = {
  quote: [QUOTE, quoteValue],
  snapshot: [SNAPSHOT, snapshotValue],
  tick: [TICK, tickValue],
  'event-quote': [EVENT_QUOTE, eventQuoteValue],
  'event-snapshot': [EVENT_SNAPSHOT, eventSnapshotValue],
  'event-tick': [EVENT_TICK, eventTickValue],
}

/** Kinds whose messages are full states, so that a newer one replaces an older one. The others are trades. */
const STATES: ReadonlySet<string> = new Set(['quote', 'snapshot', 'event-quote', 'event-snapshot'])

const KINDS: ReadonlyMap<string, QuotesKind> = new Map(
  Object.keys(DECODERS).map((kind) => [kind, kind as QuotesKind]),
)

export const kindFromTopic = (topic: string): QuotesMessage['kind'] => KINDS.get(topic) ?? 'unknown'

export const isState = (kind: QuotesMessage['kind']): boolean => STATES.has(kind)

/** Estimated memory of an item without its payload, in bytes. */
const ITEM_BYTES = 320

/** Returns the estimated memory of an item, in bytes. */
export function messageSize({ kind, topic, payload, symbol }: MessageItem): number {
  // Strings of known topics are shared; an unknown topic may have 65,535 bytes.
  const topicBytes = kind === 'unknown' ? 2 * topic.length : 0
  // Trades are taken in order, so the first trade of a buffer counts the whole buffer. Each state counts the
  // whole buffer, because any state may be the last item that keeps it in memory.
  const ownBytes = payload.byteOffset === 0 || isState(kind) ? payload.buffer.byteLength : 0
  return ITEM_BYTES + topicBytes + ownBytes + 2 * (symbol?.length ?? 0)
}

/** A message. It is a class, because an object with its own function would need twice the memory. */
export class MessageItem implements MessageFields {
  readonly type = 'message'
  readonly kind: QuotesMessage['kind']
  readonly topic: string
  readonly symbol: string | undefined
  readonly payload: Uint8Array
  readonly connection: number
  readonly receivedAtMs: number
  readonly duplicate: boolean
  /** Updated while the item is queued. */
  replaced = 0

  constructor(fields: {
    readonly kind: QuotesMessage['kind']
    readonly topic: string
    readonly symbol: string | undefined
    readonly payload: Uint8Array
    readonly connection: number
    readonly receivedAtMs: number
    readonly duplicate: boolean
  }) {
    this.kind = fields.kind
    this.topic = fields.topic
    this.symbol = fields.symbol
    this.payload = fields.payload
    this.connection = fields.connection
    this.receivedAtMs = fields.receivedAtMs
    this.duplicate = fields.duplicate
  }

  decode(): QuotesDecodeResult<QuotesValues[QuotesKind] | Uint8Array> {
    const { kind, payload } = this
    if (kind === 'unknown') return { ok: true, value: payload }
    try {
      const [layout, valueFrom] = DECODERS[kind]
      return { ok: true, value: valueFrom(readTextFields(layout, payload, 0, payload.length), layout) }
    } catch (cause) {
      const details = { kind, bytes: payload.length }
      const text = `payload must be a message of kind ${kind}; received ${payload.length} bytes. See "raw"`
      return {
        ok: false,
        error: new QuotesError('QUOTES_PAYLOAD_INVALID', text, { details, cause }),
        raw: payload,
      }
    }
  }
}
