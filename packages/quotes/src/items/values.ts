/**
 * What the payloads say, for people: decimals stay text, an empty text is nothing, instants are numbers beside the text that
 * they came as, and fields that nobody knows stay with their numbers. The numbers of known ones stand in `quotes_layouts.ts`.
 */
import type { UnknownField } from '../decoding/gen/range-reader.ts'
import type { Layout, TextFields } from '../decoding/gen/text-fields.ts'

/** A field that no table has. */
export interface UnknownQuoteField extends UnknownField {
  /** The message within the payload that it stood in: `''` for the payload itself, `'basic'`, `'asks[0]'`, ... */
  readonly within: string
}

/** What every message begins with. */
export interface QuoteBasics {
  readonly symbol: string | undefined
  readonly instrumentId: string | undefined
  /** As it came: milliseconds since the Unix epoch. */
  readonly timestamp: string | undefined
  /** {@link QuoteBasics.timestamp} as a number, where it is whole milliseconds. */
  readonly timestampMs: number | undefined
  /** PRE, RTH, ATH and OVN were seen; others are kept. */
  readonly tradingSession: string | undefined
  readonly unknownFields: readonly UnknownQuoteField[]
}

/** A level of an order book. */
export interface BookLevel {
  readonly price: string | undefined
  readonly size: string | undefined
  /** US level 2: who stands there, with how much. */
  readonly orders: readonly { readonly mpid: string | undefined; readonly size: string | undefined }[]
  /** HK level 2. `id` is no price. */
  readonly brokers: readonly { readonly id: string | undefined; readonly name: string | undefined }[]
}

/** The order book of a symbol, whole. Best level first, as far as is known. */
export interface QuoteValue extends QuoteBasics {
  readonly asks: readonly BookLevel[]
  readonly bids: readonly BookLevel[]
}

/** Figures of a session outside of the market's hours. */
export interface OutsideSession {
  readonly tradeTime: string | undefined
  readonly tradeTimeMs: number | undefined
  readonly price: string | undefined
  readonly high: string | undefined
  readonly low: string | undefined
  readonly volume: string | undefined
  readonly change: string | undefined
  /** 0.0111 is 1.11 %. */
  readonly changeRatio: string | undefined
}

/** The state of a symbol, whole. */
export interface SnapshotValue extends QuoteBasics {
  readonly tradeTime: string | undefined
  readonly tradeTimeMs: number | undefined
  readonly price: string | undefined
  readonly open: string | undefined
  readonly high: string | undefined
  readonly low: string | undefined
  readonly preClose: string | undefined
  readonly volume: string | undefined
  readonly change: string | undefined
  /** 0.0111 is 1.11 %. */
  readonly changeRatio: string | undefined
  /** Before and after the market's hours. */
  readonly extended: OutsideSession | undefined
  readonly overnight: OutsideSession | undefined
}

/** A trade. It has no identifier. */
export interface TickValue extends QuoteBasics {
  readonly time: string | undefined
  readonly timeMs: number | undefined
  readonly price: string | undefined
  readonly volume: string | undefined
  /** B, S, G, L or N; their meaning is not published. */
  readonly side: string | undefined
}

/** A level of an event contract's book. */
export interface EventLevel {
  readonly price: string | undefined
  readonly size: string | undefined
}

/** The book of an event contract: bids only. */
export interface EventQuoteValue extends QuoteBasics {
  readonly yesBids: readonly EventLevel[]
  readonly noBids: readonly EventLevel[]
}

/** The state of an event contract. */
export interface EventSnapshotValue extends QuoteBasics {
  readonly price: string | undefined
  readonly volume: string | undefined
  readonly lastTradeTime: string | undefined
  readonly lastTradeTimeMs: number | undefined
  readonly openInterest: string | undefined
  readonly yesAsk: string | undefined
  readonly yesBid: string | undefined
  readonly yesAskSize: string | undefined
  readonly yesBidSize: string | undefined
  readonly noAsk: string | undefined
  readonly noBid: string | undefined
  readonly noAskSize: string | undefined
  readonly noBidSize: string | undefined
}

/** A trade of an event contract. */
export interface EventTickValue extends QuoteBasics {
  readonly yesPrice: string | undefined
  readonly noPrice: string | undefined
  readonly volume: string | undefined
  readonly side: string | undefined
  readonly tradeId: string | undefined
  readonly time: string | undefined
  readonly timeMs: number | undefined
}

const NONE: readonly UnknownQuoteField[] = Object.freeze([])

const MAX_EXACT_DIGITS = 15
const ZERO = 48

/** Whole milliseconds that a number holds exactly. By hand: a pattern and `Number` would cost more than the rest of a value. */
function millis(text: string | undefined): number | undefined {
  if (text === undefined || text.length > MAX_EXACT_DIGITS) return undefined
  let value = 0
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - ZERO
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  return value
}

function noteUnknown(into: UnknownQuoteField[], within: string, fields: TextFields, layout: Layout): void {
  for (const field of fields.unknown ?? []) into.push({ ...field, within })
  for (const [no, part] of layout.parts.entries()) {
    if (part === undefined) continue
    const name = within === '' ? part.name : `${within}.${part.name}`
    for (const [at, inner] of (fields.parts[no] ?? []).entries())
      noteUnknown(into, part.isList ? `${name}[${at}]` : name, inner, part.layout)
  }
}

/** What every message has in field 1. */
function basics(message: TextFields, layout: Layout): QuoteBasics {
  const texts = message.parts[1]?.[0]?.texts ?? []
  const timestamp = texts[3]
  let unknownFields = NONE
  if (message.hasUnknown) {
    const into: UnknownQuoteField[] = []
    noteUnknown(into, '', message, layout)
    unknownFields = into
  }
  return {
    symbol: texts[1],
    instrumentId: texts[2],
    timestamp,
    timestampMs: millis(timestamp),
    tradingSession: texts[4],
    unknownFields,
  }
}

/** A list, each as a value. */
const listOf = <T>(message: TextFields, no: number, make: (fields: TextFields) => T): readonly T[] =>
  message.parts[no]?.map(make) ?? []

// Values are written out, field by field: an object that is spread into another one costs ten times as much.

const bookLevel = (level: TextFields): BookLevel => ({
  price: level.texts[1],
  size: level.texts[2],
  orders: listOf(level, 3, ({ texts }) => ({ mpid: texts[1], size: texts[2] })),
  brokers: listOf(level, 4, ({ texts }) => ({ id: texts[1], name: texts[2] })),
})

export function quoteValue(message: TextFields, layout: Layout): QuoteValue {
  const { symbol, instrumentId, timestamp, timestampMs, tradingSession, unknownFields } = basics(
    message,
    layout,
  )
  return {
    symbol,
    instrumentId,
    timestamp,
    timestampMs,
    tradingSession,
    unknownFields,
    asks: listOf(message, 2, bookLevel),
    bids: listOf(message, 3, bookLevel),
  }
}

/** Seven fields from number `no` on. Nothing, where none of them came. */
function outside(texts: TextFields['texts'], no: number): OutsideSession | undefined {
  const tradeTime = texts[no]
  const price = texts[no + 1]
  const high = texts[no + 2]
  const low = texts[no + 3]
  const volume = texts[no + 4]
  const change = texts[no + 5]
  const changeRatio = texts[no + 6]
  if ((tradeTime ?? price ?? high ?? low ?? volume ?? change ?? changeRatio) === undefined) return undefined
  return { tradeTime, tradeTimeMs: millis(tradeTime), price, high, low, volume, change, changeRatio }
}

export function snapshotValue(message: TextFields, layout: Layout): SnapshotValue {
  const { symbol, instrumentId, timestamp, timestampMs, tradingSession, unknownFields } = basics(
    message,
    layout,
  )
  const { texts } = message
  return {
    symbol,
    instrumentId,
    timestamp,
    timestampMs,
    tradingSession,
    unknownFields,
    tradeTime: texts[2],
    tradeTimeMs: millis(texts[2]),
    price: texts[3],
    open: texts[4],
    high: texts[5],
    low: texts[6],
    preClose: texts[7],
    volume: texts[8],
    change: texts[9],
    changeRatio: texts[10],
    extended: outside(texts, 11),
    overnight: outside(texts, 18),
  }
}

export function tickValue(message: TextFields, layout: Layout): TickValue {
  const { symbol, instrumentId, timestamp, timestampMs, tradingSession, unknownFields } = basics(
    message,
    layout,
  )
  const { texts } = message
  return {
    symbol,
    instrumentId,
    timestamp,
    timestampMs,
    tradingSession,
    unknownFields,
    time: texts[2],
    timeMs: millis(texts[2]),
    price: texts[3],
    volume: texts[4],
    side: texts[5],
  }
}

const eventLevel = ({ texts }: TextFields): EventLevel => ({ price: texts[1], size: texts[2] })

export function eventQuoteValue(message: TextFields, layout: Layout): EventQuoteValue {
  const { symbol, instrumentId, timestamp, timestampMs, tradingSession, unknownFields } = basics(
    message,
    layout,
  )
  return {
    symbol,
    instrumentId,
    timestamp,
    timestampMs,
    tradingSession,
    unknownFields,
    yesBids: listOf(message, 2, eventLevel),
    noBids: listOf(message, 3, eventLevel),
  }
}

export function eventSnapshotValue(message: TextFields, layout: Layout): EventSnapshotValue {
  const { symbol, instrumentId, timestamp, timestampMs, tradingSession, unknownFields } = basics(
    message,
    layout,
  )
  const { texts } = message
  return {
    symbol,
    instrumentId,
    timestamp,
    timestampMs,
    tradingSession,
    unknownFields,
    price: texts[2],
    volume: texts[3],
    lastTradeTime: texts[4],
    lastTradeTimeMs: millis(texts[4]),
    openInterest: texts[5],
    yesAsk: texts[6],
    yesBid: texts[7],
    yesAskSize: texts[8],
    yesBidSize: texts[9],
    noAsk: texts[10],
    noBid: texts[11],
    noAskSize: texts[12],
    noBidSize: texts[13],
  }
}

export function eventTickValue(message: TextFields, layout: Layout): EventTickValue {
  const { symbol, instrumentId, timestamp, timestampMs, tradingSession, unknownFields } = basics(
    message,
    layout,
  )
  const { texts } = message
  return {
    symbol,
    instrumentId,
    timestamp,
    timestampMs,
    tradingSession,
    unknownFields,
    yesPrice: texts[2],
    noPrice: texts[3],
    volume: texts[4],
    side: texts[5],
    tradeId: texts[6],
    time: texts[7],
    timeMs: millis(texts[7]),
  }
}
