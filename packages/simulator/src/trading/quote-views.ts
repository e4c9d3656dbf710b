/**
 * Formats profiles and market data for HTTP responses (packages/operations/OPERATIONS.md, instruments and
 * market data). All values are invented.
 */
import type { Region } from '@brokerwire/core/endpoints'
import type { Instrument, Market } from '../wire/instruments.ts'
import { formatCents, formatDecimal } from './decimal.ts'
import { getCurrency, getLotSize, isFractionable } from './instruments.ts'
import { DRAWS, type SimulatedMarket } from './market.ts'

type Json = Readonly<Record<string, unknown>>

/** Market and time of a view. */
export interface QuoteContext {
  readonly market: SimulatedMarket
  readonly nowMs: number
}

const EXCHANGE_CODES: Readonly<Record<string, string>> = { NASDAQ: 'NSQ', NYSE: 'NYSE', HKEX: 'HKG' }

export function profileView(instrument: Instrument, region: Region, market: Market): Json {
  const isUs = region === 'us'
  const margin = '0.5000'
  return {
    symbol: instrument.symbol,
    instrument_id: instrument.instrumentId,
    name: instrument.shortName,
    exchange_code: EXCHANGE_CODES[instrument.exchange] ?? instrument.exchange,
    category: instrument.category,
    sub_category: instrument.category.endsWith('_ETF') ? 'ETF' : 'COMMON_STOCK',
    currency: getCurrency(instrument, market),
    status: 'OC',
    lot_size: String(getLotSize(instrument)),
    ...(isUs
      ? {
          shortable: true,
          fractionable: isFractionable(instrument),
          marginable: true,
          overnight_trading_supported: true,
          easy_to_borrow: true,
          crypto_etf: false,
          margin_requirement_long: margin,
          margin_requirement_short: margin,
          intraday_margin_long: margin,
          intraday_margin_short: margin,
          maintenance_margin_long: margin,
          maintenance_margin_short: margin,
        }
      : {}),
  }
}

export function snapshotView(
  instrument: Instrument,
  { market, nowMs }: QuoteContext,
  sessions: { readonly extended: boolean; readonly overnight: boolean },
): Json {
  const step = market.stepAt(nowMs)
  const dayStartMs = market.calendar.dayStartMs(nowMs)
  const day = rangeBetween(instrument, market, dayStartMs, nowMs)
  const price = market.priceAt(instrument, step)
  const previous = market.getPath(instrument).priceAt(Math.max(0, market.stepAt(dayStartMs) - 1))
  const high = Math.max(day.high, price)
  const low = Math.min(day.low, price)
  const volume = volumeBetween(instrument, market, dayStartMs, nowMs)
  const change = formatCents(price - previous)
  const changeRatio = ratioText(price - previous, previous)
  const { bidCents, askCents } = market.bookAt(instrument, step)
  const path = market.getPath(instrument)
  const size = (level: number): string => String(path.draw(step, DRAWS.size + 16 * (level + 1), 1, 900))
  const last = { price: formatCents(price), high: formatCents(high), low: formatCents(low) }
  const book = {
    ask: formatCents(askCents),
    ask_size: size(0),
    bid: formatCents(bidCents),
    bid_size: size(1),
  }
  return {
    symbol: instrument.symbol,
    instrument_id: instrument.instrumentId,
    price: last.price,
    open: formatCents(day.open),
    close: last.price,
    high: last.high,
    low: last.low,
    pre_close: formatCents(previous),
    volume: String(volume),
    turnover: formatCents(BigInt(volume) * BigInt(price)),
    change,
    change_ratio: changeRatio,
    ...book,
    lot_size: String(getLotSize(instrument)),
    last_trade_time: market.getStartMs(step),
    quote_time: nowMs,
    ...(sessions.extended
      ? {
          extend_hour_last_price: last.price,
          extend_hour_high: last.high,
          extend_hour_low: last.low,
          extend_hour_change: change,
          extend_hour_change_ratio: changeRatio,
          extend_hour_volume: String(volume),
          extend_hour_last_trade_time: market.getStartMs(step),
        }
      : {}),
    ...(sessions.overnight
      ? {
          ovn_price: last.price,
          ovn_high: last.high,
          ovn_low: last.low,
          ovn_volume: String(volume),
          ovn_change: change,
          ovn_change_ratio: changeRatio,
          ovn_ask: book.ask,
          ovn_ask_size: book.ask_size,
          ovn_bid: book.bid,
          ovn_bid_size: book.bid_size,
          ovn_last_trade_time: market.getStartMs(step),
        }
      : {}),
  }
}

/** Maximum number of levels on each side of a book. */
export const MAX_DEPTH = 50

export function depthView(instrument: Instrument, { market, nowMs }: QuoteContext, depth: number): Json {
  const step = market.stepAt(nowMs)
  const { bidCents, askCents } = market.bookAt(instrument, step)
  const path = market.getPath(instrument)
  const isHk = instrument.category.startsWith('HK_')
  const levels = (bestCents: number, side: 1 | -1): readonly Json[] =>
    Array.from({ length: Math.min(depth, side === 1 ? depth : bestCents) }, (_, level) => {
      const size = String(path.draw(step, DRAWS.size + 16 * (2 * level + (side === 1 ? 1 : 2)), 1, 900))
      return {
        price: formatCents(bestCents + side * level),
        size,
        order: [{ mpid: 'SIMU', size }],
        broker: isHk ? [{ bid: '9999', name: 'Simulated broker' }] : [],
      }
    })
  return {
    symbol: instrument.symbol,
    instrument_id: instrument.instrumentId,
    quote_time: String(nowMs),
    asks: levels(askCents, 1),
    bids: levels(bidCents, -1),
  }
}

/** Returns the last trades, newest first. Each step has one trade. */
export function ticksView(instrument: Instrument, { market, nowMs }: QuoteContext, count: number): Json {
  const path = market.getPath(instrument)
  const last = market.stepAt(nowMs)
  const result = Array.from({ length: Math.min(count, last + 1) }, (_, index) => {
    const step = last - index
    return {
      time: String(market.getStartMs(step)),
      price: formatCents(index === 0 ? market.priceAt(instrument, step) : path.priceAt(step)),
      volume: String(path.draw(step, DRAWS.volume, 1, 500)),
      side: ['B', 'S', 'N'][path.draw(step, DRAWS.side, 0, 2)],
      trading_session: 'RTH',
    }
  })
  return { symbol: instrument.symbol, instrument_id: instrument.instrumentId, result }
}

/** First, highest, lowest and last price. */
export interface Range {
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

/** Approximate number of prices of a timespan from which its highest and lowest price are calculated. */
const SAMPLES = 16

/** Returns the prices of the path from `fromMs` up to but not including `untilMs`. */
export function rangeBetween(
  instrument: Instrument,
  market: SimulatedMarket,
  fromMs: number,
  untilMs: number,
): Range {
  const path = market.getPath(instrument)
  const first = Math.max(0, Math.ceil(fromMs / market.stepMs))
  const last = Math.max(first, Math.ceil(untilMs / market.stepMs) - 1)
  const open = path.priceAt(first)
  const close = path.priceAt(last)
  const stride = Math.max(1, Math.floor((last - first) / SAMPLES))
  let high = Math.max(open, close)
  let low = Math.min(open, close)
  for (let step = first; step < last; step += stride) {
    const price = path.priceAt(step)
    high = Math.max(high, price)
    low = Math.min(low, price)
  }
  return { open, high, low, close }
}

/** Maximum number of units that are traded in a second. */
const MAX_UNITS = 200
const SECOND_MS = 1000

/** Returns the traded volume between two instants. For the same start, it grows with the end. */
export function volumeBetween(
  instrument: Instrument,
  market: SimulatedMarket,
  fromMs: number,
  untilMs: number,
): number {
  const units = market.getPath(instrument).draw(market.stepAt(fromMs), DRAWS.volume, 1, MAX_UNITS)
  return Math.floor(Math.max(0, untilMs - fromMs) / SECOND_MS) * units
}

function ratioText(part: number, whole: number): string {
  return formatDecimal((BigInt(part) * 10_000n) / BigInt(Math.max(1, whole)), 4, 4)
}
