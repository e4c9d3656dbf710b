/**
 * Messages of market data as a consumer gets them. `kind` comes from the topic alone, so that a payload which nobody can read
 * still arrives under the right kind.
 */
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

/** What each kind of message says. */
export interface QuotesValues {
  readonly quote: QuoteValue
  readonly snapshot: SnapshotValue
  readonly tick: TickValue
  readonly 'event-quote': EventQuoteValue
  readonly 'event-snapshot': EventSnapshotValue
  readonly 'event-tick': EventTickValue
}

/** Kinds of messages: the topics of the service (facts, market data, Messages). */
export type QuotesKind = keyof QuotesValues

/** A decoded value, or why there is none. */
export type QuotesDecodeResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: QuotesError<'QUOTES_PAYLOAD_INVALID'>; readonly raw: Uint8Array }

interface MessageFields {
  readonly type: 'message'
  /** As it came. */
  readonly topic: string
  /** From the payload; `undefined` where it has none, or cannot be read. */
  readonly symbol: string | undefined
  /** The payload as received. Its buffer may hold others too: hand on the array, not the buffer. */
  readonly payload: Uint8Array
  /** Number of the connection that it came over, from 1. */
  readonly connection: number
  /** Milliseconds since the Unix epoch, on this host's clock. */
  readonly receivedAtMs: number
  /** The broker sent it once more, and may have sent it before. */
  readonly duplicate: boolean
  /** How many earlier states of the symbol this one replaced, because nobody took them. 0 for trades. */
  readonly replaced: number
}

/** A message of a topic that is known. */
export type KnownMessageItem = {
  readonly [Kind in QuotesKind]: MessageFields & {
    readonly kind: Kind
    /** Decodes the payload. Never throws. */
    decode(): QuotesDecodeResult<QuotesValues[Kind]>
  }
}[QuotesKind]

/** A message of a topic that nobody knows: its bytes. */
export interface OtherMessageItem extends MessageFields {
  readonly kind: 'unknown'
  /** The bytes. */
  decode(): QuotesDecodeResult<Uint8Array>
}

/** A message of market data. */
export type QuotesMessage = KnownMessageItem | OtherMessageItem

type ValueFrom = (message: TextFields, layout: Layout) => QuotesValues[QuotesKind]

const READERS: Readonly<Record<QuotesKind, readonly [Layout, ValueFrom]>> = {
  quote: [QUOTE, quoteValue],
  snapshot: [SNAPSHOT, snapshotValue],
  tick: [TICK, tickValue],
  'event-quote': [EVENT_QUOTE, eventQuoteValue],
  'event-snapshot': [EVENT_SNAPSHOT, eventSnapshotValue],
  'event-tick': [EVENT_TICK, eventTickValue],
}

/** Of these each message is a full state: a newer one says all that an older one did. The others are trades. */
const STATES: ReadonlySet<string> = new Set(['quote', 'snapshot', 'event-quote', 'event-snapshot'])

const KINDS: ReadonlyMap<string, QuotesKind> = new Map(
  Object.keys(READERS).map((kind) => [kind, kind as QuotesKind]),
)

export const kindOf = (topic: string): QuotesMessage['kind'] => KINDS.get(topic) ?? 'unknown'

export const isState = (kind: QuotesMessage['kind']): boolean => STATES.has(kind)

/** What an item's objects hold beside its payload, in bytes. */
const ITEM_BYTES = 320

/** What an item holds, in bytes: the measure of what may wait. */
export function messageBytes({ kind, topic, payload, symbol }: MessageItem): number {
  // Only the names of known topics are shared: another one may be as long as 65,535 bytes.
  const topicBytes = kind === 'unknown' ? 2 * topic.length : 0
  // Trades are taken in order, so the first one of a buffer answers for it; of states any one may stay alone.
  const ownBytes = payload.byteOffset === 0 || isState(kind) ? payload.buffer.byteLength : 0
  return ITEM_BYTES + topicBytes + ownBytes + 2 * (symbol?.length ?? 0)
}

/** A class, because an object with a function of its own would be twice as large: ten thousand of them wait at once. */
export class MessageItem implements MessageFields {
  readonly type = 'message'
  readonly kind: QuotesMessage['kind']
  readonly topic: string
  readonly symbol: string | undefined
  readonly payload: Uint8Array
  readonly connection: number
  readonly receivedAtMs: number
  readonly duplicate: boolean
  /** Counted while it waits. */
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
      const [layout, valueFrom] = READERS[kind]
      return { ok: true, value: valueFrom(readTextFields(layout, payload, 0, payload.length), layout) }
    } catch (cause) {
      const details = { kind, bytes: payload.length }
      const text = `a payload of ${payload.length} bytes is no message of the kind ${kind}: its bytes are in raw`
      return {
        ok: false,
        error: new QuotesError('QUOTES_PAYLOAD_INVALID', text, { details, cause }),
        raw: payload,
      }
    }
  }
}
