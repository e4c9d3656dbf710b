/**
 * What the payloads say, for people: decimals stay text, an empty text is nothing, instants are numbers beside the text that
 * they came as, and fields that nobody knows stay with their numbers.
 */
import type * as wire from '../decoding/gen/quotes/quotes_decoders.ts'
import type { UnknownField } from '../decoding/gen/range-reader.ts'

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
const NO_BASIC: wire.Basic = {
  $typeName: 'quotes.Basic',
  symbol: '',
  instrumentId: '',
  timestamp: '',
  tradingSession: '',
}

/** The value, or nothing for the empty text that says nothing. */
const filled = (text: string): string | undefined => (text === '' ? undefined : text)

const MAX_EXACT_DIGITS = 15
const ZERO = 48

/** Whole milliseconds that a number holds exactly. By hand: a pattern and `Number` would cost more than the rest of a value. */
function millis(text: string): number | undefined {
  const { length } = text
  if (length === 0 || length > MAX_EXACT_DIGITS) return undefined
  let value = 0
  for (let at = 0; at < length; at += 1) {
    const digit = text.charCodeAt(at) - ZERO
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  return value
}

interface Level {
  readonly $unknown?: readonly UnknownField[]
}

function noteUnknown(into: UnknownQuoteField[], within: string, message: Level): void {
  for (const field of message.$unknown ?? []) into.push({ ...field, within })
}

function levelsUnknown(into: UnknownQuoteField[], name: string, levels: readonly wire.AskBid[]): void {
  for (const [index, level] of levels.entries()) {
    const within = `${name}[${index}]`
    noteUnknown(into, within, level)
    for (const [at, order] of level.order.entries()) noteUnknown(into, `${within}.order[${at}]`, order)
    for (const [at, broker] of level.broker.entries()) noteUnknown(into, `${within}.broker[${at}]`, broker)
  }
}

function basics(
  message: Level & { readonly basic?: wire.Basic },
  noteOthers?: (into: UnknownQuoteField[]) => void,
): QuoteBasics {
  const { basic = NO_BASIC } = message
  return {
    symbol: filled(basic.symbol),
    instrumentId: filled(basic.instrumentId),
    timestamp: filled(basic.timestamp),
    timestampMs: millis(basic.timestamp),
    tradingSession: filled(basic.tradingSession),
    unknownFields: unknownIn(message, basic, noteOthers),
  }
}

function unknownIn(
  message: Level,
  basic: Level,
  noteOthers: ((into: UnknownQuoteField[]) => void) | undefined,
): readonly UnknownQuoteField[] {
  // The usual case, without a list for each message.
  if (message.$unknown === undefined && basic.$unknown === undefined && noteOthers === undefined) return NONE
  const unknownFields: UnknownQuoteField[] = []
  noteUnknown(unknownFields, '', message)
  noteUnknown(unknownFields, 'basic', basic)
  noteOthers?.(unknownFields)
  return unknownFields.length === 0 ? NONE : unknownFields
}

// Values are written out, field by field: an object that is spread into another one costs ten times as much.

const bookLevel = ({ price, size, order, broker }: wire.AskBid): BookLevel => ({
  price: filled(price),
  size: filled(size),
  orders: order.map((entry) => ({ mpid: filled(entry.mpid), size: filled(entry.size) })),
  brokers: broker.map((entry) => ({ id: filled(entry.bid), name: filled(entry.name) })),
})

export function quoteValue(message: wire.Quote): QuoteValue {
  const { symbol, instrumentId, timestamp, timestampMs, tradingSession, unknownFields } = basics(
    message,
    (into) => {
      levelsUnknown(into, 'asks', message.asks)
      levelsUnknown(into, 'bids', message.bids)
    },
  )
  return {
    symbol,
    instrumentId,
    timestamp,
    timestampMs,
    tradingSession,
    unknownFields,
    asks: message.asks.map(bookLevel),
    bids: message.bids.map(bookLevel),
  }
}

/** Nothing, where none of its fields came. */
function outside(
  tradeTime: string,
  price: string,
  high: string,
  low: string,
  volume: string,
  change: string,
  changeRatio: string,
): OutsideSession | undefined {
  const prices = price.length + high.length + low.length + change.length + changeRatio.length
  if (prices + tradeTime.length + volume.length === 0) return undefined
  return {
    tradeTime: filled(tradeTime),
    tradeTimeMs: millis(tradeTime),
    price: filled(price),
    high: filled(high),
    low: filled(low),
    volume: filled(volume),
    change: filled(change),
    changeRatio: filled(changeRatio),
  }
}

export function snapshotValue(message: wire.Snapshot): SnapshotValue {
  const { symbol, instrumentId, timestamp, timestampMs, tradingSession, unknownFields } = basics(message)
  return {
    symbol,
    instrumentId,
    timestamp,
    timestampMs,
    tradingSession,
    unknownFields,
    tradeTime: filled(message.tradeTime),
    tradeTimeMs: millis(message.tradeTime),
    price: filled(message.price),
    open: filled(message.open),
    high: filled(message.high),
    low: filled(message.low),
    preClose: filled(message.preClose),
    volume: filled(message.volume),
    change: filled(message.change),
    changeRatio: filled(message.changeRatio),
    extended: outside(
      message.extTradeTime,
      message.extPrice,
      message.extHigh,
      message.extLow,
      message.extVolume,
      message.extChange,
      message.extChangeRatio,
    ),
    overnight: outside(
      message.ovnTradeTime,
      message.ovnPrice,
      message.ovnHigh,
      message.ovnLow,
      message.ovnVolume,
      message.ovnChange,
      message.ovnChangeRatio,
    ),
  }
}

export function tickValue(message: wire.Tick): TickValue {
  const { symbol, instrumentId, timestamp, timestampMs, tradingSession, unknownFields } = basics(message)
  return {
    symbol,
    instrumentId,
    timestamp,
    timestampMs,
    tradingSession,
    unknownFields,
    time: filled(message.time),
    timeMs: millis(message.time),
    price: filled(message.price),
    volume: filled(message.volume),
    side: filled(message.side),
  }
}

const eventLevel = ({ price, size }: wire.EventAskBid): EventLevel => ({
  price: filled(price),
  size: filled(size),
})

export function eventQuoteValue(message: wire.EventQuote): EventQuoteValue {
  const { symbol, instrumentId, timestamp, timestampMs, tradingSession, unknownFields } = basics(
    message,
    (into) => {
      for (const [at, level] of message.yesBids.entries()) noteUnknown(into, `yesBids[${at}]`, level)
      for (const [at, level] of message.noBids.entries()) noteUnknown(into, `noBids[${at}]`, level)
    },
  )
  return {
    symbol,
    instrumentId,
    timestamp,
    timestampMs,
    tradingSession,
    unknownFields,
    yesBids: message.yesBids.map(eventLevel),
    noBids: message.noBids.map(eventLevel),
  }
}

export function eventSnapshotValue(message: wire.EventSnapshot): EventSnapshotValue {
  const { symbol, instrumentId, timestamp, timestampMs, tradingSession, unknownFields } = basics(message)
  return {
    symbol,
    instrumentId,
    timestamp,
    timestampMs,
    tradingSession,
    unknownFields,
    price: filled(message.price),
    volume: filled(message.volume),
    lastTradeTime: filled(message.lastTradeTime),
    lastTradeTimeMs: millis(message.lastTradeTime),
    openInterest: filled(message.openInterest),
    yesAsk: filled(message.yesAsk),
    yesBid: filled(message.yesBid),
    yesAskSize: filled(message.yesAskSize),
    yesBidSize: filled(message.yesBidSize),
    noAsk: filled(message.noAsk),
    noBid: filled(message.noBid),
    noAskSize: filled(message.noAskSize),
    noBidSize: filled(message.noBidSize),
  }
}

export function eventTickValue(message: wire.EventTick): EventTickValue {
  const { symbol, instrumentId, timestamp, timestampMs, tradingSession, unknownFields } = basics(message)
  return {
    symbol,
    instrumentId,
    timestamp,
    timestampMs,
    tradingSession,
    unknownFields,
    yesPrice: filled(message.yesPrice),
    noPrice: filled(message.noPrice),
    volume: filled(message.volume),
    side: filled(message.side),
    tradeId: filled(message.tradeId),
    time: filled(message.time),
    timeMs: millis(message.time),
  }
}
