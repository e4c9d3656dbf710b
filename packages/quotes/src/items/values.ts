/**
 * Decoded values of payloads. Decimals stay strings, empty strings become `undefined`, instants are numbers next to their
 * original string, and unknown fields are kept with their numbers. `quotes_layouts.ts` has the numbers of known fields.
 */
import type { UnknownField } from '../decoding/gen/range-reader.ts'
import type { Layout, TextFields } from '../decoding/gen/text-fields.ts'

/** A field that is not in the schema. */
export interface UnknownQuoteField extends UnknownField {
  /** Path of its message within the payload: `''` for the payload itself, `'basic'`, `'asks[0]'`, ... */
  readonly within: string
}

/** Fields of every message. */
export interface QuoteBasics {
  /** Symbol of the instrument. */
  readonly symbol: string | undefined
  /** The service's identifier of the instrument. */
  readonly instrumentId: string | undefined
  /** Time as received: a string of milliseconds since the Unix epoch. */
  readonly timestamp: string | undefined
  /** The timestamp as a number, milliseconds since the Unix epoch; `undefined` if it is not a whole number. */
  readonly timestampMs: number | undefined
  /** Trading session as received: PRE, RTH, ATH and OVN were seen. */
  readonly tradingSession: string | undefined
  /** Fields that are not in the schema. */
  readonly unknownFields: readonly UnknownQuoteField[]
}

/** A level of an order book. */
export interface BookLevel {
  /** Price as a decimal string. */
  readonly price: string | undefined
  /** Quantity as a decimal string. */
  readonly size: string | undefined
  /** US level 2: market participants and their quantities. */
  readonly orders: readonly {
    /** Identifier of the market participant. */
    readonly mpid: string | undefined
    /** Quantity of the participant, as a decimal string. */
    readonly size: string | undefined
  }[]
  /** HK level 2: broker numbers and names. */
  readonly brokers: readonly {
    /** Number of the broker, as received. */
    readonly id: string | undefined
    /** Name of the broker, as received. */
    readonly name: string | undefined
  }[]
}

/** The full order book of a symbol. The best level seems to come first. */
export interface QuoteValue extends QuoteBasics {
  /** Levels of the ask side. */
  readonly asks: readonly BookLevel[]
  /** Levels of the bid side. */
  readonly bids: readonly BookLevel[]
}

/** Prices of a session outside market hours. Numbers are decimal strings. */
export interface OffHoursSession {
  /** Time of the last trade, as received. */
  readonly tradeTime: string | undefined
  /** Time of the last trade, milliseconds since the Unix epoch. */
  readonly tradeTimeMs: number | undefined
  /** Price of the last trade. */
  readonly price: string | undefined
  /** Highest price of the session. */
  readonly high: string | undefined
  /** Lowest price of the session. */
  readonly low: string | undefined
  /** Volume of the session so far. */
  readonly volume: string | undefined
  /** Change of the price, as received. */
  readonly change: string | undefined
  /** Relative change: `0.0111` is 1.11 %. */
  readonly changeRatio: string | undefined
}

/** The full state of a symbol. Numbers are decimal strings. */
export interface SnapshotValue extends QuoteBasics {
  /** Time of the last trade, as received. */
  readonly tradeTime: string | undefined
  /** Time of the last trade, milliseconds since the Unix epoch. */
  readonly tradeTimeMs: number | undefined
  /** Price of the last trade. */
  readonly price: string | undefined
  /** Opening price of the day. */
  readonly open: string | undefined
  /** Highest price of the day. */
  readonly high: string | undefined
  /** Lowest price of the day. */
  readonly low: string | undefined
  /** Closing price of the day before. */
  readonly preClose: string | undefined
  /** Volume of the day so far. */
  readonly volume: string | undefined
  /** Change of the price, as received. */
  readonly change: string | undefined
  /** Relative change: `0.0111` is 1.11 %. */
  readonly changeRatio: string | undefined
  /** Session before or after market hours. */
  readonly extended: OffHoursSession | undefined
  /** Overnight session (US stocks). */
  readonly overnight: OffHoursSession | undefined
}

/** A trade. It has no identifier. Numbers are decimal strings. */
export interface TickValue extends QuoteBasics {
  /** Time of the trade, as received. */
  readonly time: string | undefined
  /** Time of the trade, milliseconds since the Unix epoch. */
  readonly timeMs: number | undefined
  /** Price of the trade, as received. */
  readonly price: string | undefined
  /** Quantity of the trade, as received. */
  readonly volume: string | undefined
  /** B, S, G, L or N; their meaning is not published. */
  readonly side: string | undefined
}

/** A level of an event contract's order book. */
export interface EventLevel {
  /** Price as a decimal string. */
  readonly price: string | undefined
  /** Quantity as a decimal string. */
  readonly size: string | undefined
}

/** The order book of an event contract, which has bids only. */
export interface EventQuoteValue extends QuoteBasics {
  /** Levels of the bids on yes. */
  readonly yesBids: readonly EventLevel[]
  /** Levels of the bids on no. */
  readonly noBids: readonly EventLevel[]
}

/** The full state of an event contract. Numbers are decimal strings. */
export interface EventSnapshotValue extends QuoteBasics {
  /** Price of the last trade. */
  readonly price: string | undefined
  /** Volume so far, as received. */
  readonly volume: string | undefined
  /** Time of the last trade, as received. */
  readonly lastTradeTime: string | undefined
  /** Time of the last trade, milliseconds since the Unix epoch. */
  readonly lastTradeTimeMs: number | undefined
  /** Number of open contracts. */
  readonly openInterest: string | undefined
  /** Best ask price of yes. */
  readonly yesAsk: string | undefined
  /** Best bid price of yes. */
  readonly yesBid: string | undefined
  /** Quantity at the best ask of yes. */
  readonly yesAskSize: string | undefined
  /** Quantity at the best bid of yes. */
  readonly yesBidSize: string | undefined
  /** Best ask price of no. */
  readonly noAsk: string | undefined
  /** Best bid price of no. */
  readonly noBid: string | undefined
  /** Quantity at the best ask of no. */
  readonly noAskSize: string | undefined
  /** Quantity at the best bid of no. */
  readonly noBidSize: string | undefined
}

/** A trade of an event contract. Numbers are decimal strings. */
export interface EventTickValue extends QuoteBasics {
  /** Price of yes, as received. */
  readonly yesPrice: string | undefined
  /** Price of no, as received. */
  readonly noPrice: string | undefined
  /** Quantity of the trade, as received. */
  readonly volume: string | undefined
  /** Side of the trade, as received. */
  readonly side: string | undefined
  /** The service's identifier of the trade. */
  readonly tradeId: string | undefined
  /** Time of the trade, as received. */
  readonly time: string | undefined
  /** Time of the trade, milliseconds since the Unix epoch. */
  readonly timeMs: number | undefined
}

const NONE: readonly UnknownQuoteField[] = Object.freeze([])

const MAX_EXACT_DIGITS = 15
const ZERO = 48

/**
 * Parses whole milliseconds within the safe integers. A pattern and `Number` would take longer than decoding
 * the rest of a value.
 */
function parseMillis(text: string | undefined): number | undefined {
  if (text === undefined || text.length > MAX_EXACT_DIGITS) return undefined
  let value = 0
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - ZERO
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  return value
}

function collectUnknown(into: UnknownQuoteField[], within: string, fields: TextFields, layout: Layout): void {
  for (const field of fields.unknown ?? []) into.push({ ...field, within })
  for (const [no, part] of layout.parts.entries()) {
    if (part === undefined) continue
    const name = within === '' ? part.name : `${within}.${part.name}`
    for (const [at, inner] of (fields.parts[no] ?? []).entries())
      collectUnknown(into, part.isList ? `${name}[${at}]` : name, inner, part.layout)
  }
}

/** Reads field 1 of a message. */
function basics(message: TextFields, layout: Layout): QuoteBasics {
  const texts = message.parts[1]?.[0]?.texts ?? []
  const timestamp = texts[3]
  let unknownFields = NONE
  if (message.hasUnknown) {
    const into: UnknownQuoteField[] = []
    collectUnknown(into, '', message, layout)
    unknownFields = into
  }
  return {
    symbol: texts[1],
    instrumentId: texts[2],
    timestamp,
    timestampMs: parseMillis(timestamp),
    tradingSession: texts[4],
    unknownFields,
  }
}

const mapList = <T>(message: TextFields, no: number, make: (fields: TextFields) => T): readonly T[] =>
  message.parts[no]?.map(make) ?? []

// Values are built field by field, because spreading an object takes ten times as long.

const bookLevel = (level: TextFields): BookLevel => ({
  price: level.texts[1],
  size: level.texts[2],
  orders: mapList(level, 3, ({ texts }) => ({ mpid: texts[1], size: texts[2] })),
  brokers: mapList(level, 4, ({ texts }) => ({ id: texts[1], name: texts[2] })),
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
    asks: mapList(message, 2, bookLevel),
    bids: mapList(message, 3, bookLevel),
  }
}

/** Reads seven fields from number `no` on. @returns `undefined` if all are missing. */
function offHoursSession(texts: TextFields['texts'], no: number): OffHoursSession | undefined {
  const tradeTime = texts[no]
  const price = texts[no + 1]
  const high = texts[no + 2]
  const low = texts[no + 3]
  const volume = texts[no + 4]
  const change = texts[no + 5]
  const changeRatio = texts[no + 6]
  if ((tradeTime ?? price ?? high ?? low ?? volume ?? change ?? changeRatio) === undefined) return undefined
  return { tradeTime, tradeTimeMs: parseMillis(tradeTime), price, high, low, volume, change, changeRatio }
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
    tradeTimeMs: parseMillis(texts[2]),
    price: texts[3],
    open: texts[4],
    high: texts[5],
    low: texts[6],
    preClose: texts[7],
    volume: texts[8],
    change: texts[9],
    changeRatio: texts[10],
    extended: offHoursSession(texts, 11),
    overnight: offHoursSession(texts, 18),
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
    timeMs: parseMillis(texts[2]),
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
    yesBids: mapList(message, 2, eventLevel),
    noBids: mapList(message, 3, eventLevel),
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
    lastTradeTimeMs: parseMillis(texts[4]),
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
    timeMs: parseMillis(texts[7]),
  }
}
