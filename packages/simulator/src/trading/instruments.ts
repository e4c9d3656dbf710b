/** The tradable instruments of an app, as orders and queries name them. */
import type { Region } from '@brokerwire/core/endpoints'
import type { Instrument, Market } from '../wire/instruments.ts'

/** Markets that orders of a region may name (packages/operations/OPERATIONS.md, order item). */
export const MARKET_NAMES: Readonly<Record<Region, readonly string[]>> = {
  us: ['US'],
  hk: ['US', 'HK', 'CN'],
}

/** Categories of profiles and quotes. */
export const STOCK_CATEGORIES: Readonly<Record<Region, readonly string[]>> = {
  us: ['US_STOCK', 'US_ETF'],
  hk: ['US_STOCK', 'US_ETF', 'HK_STOCK', 'CN_STOCK'],
}

/** The lot size of instruments in Hong Kong. Invented: lots differ by instrument on the exchange. */
const HK_LOT_SIZE = 100

/** The market of an instrument: `US`, `HK` or `CN`. */
export function getMarketName({ category }: Instrument): string {
  return category.split('_', 1)[0] ?? ''
}

export function getLotSize(instrument: Instrument): number {
  return getMarketName(instrument) === 'HK' ? HK_LOT_SIZE : 1
}

/** Whether fractions can be traded. */
export function isFractionable(instrument: Instrument): boolean {
  return getMarketName(instrument) === 'US'
}

/** Currency of the prices of an instrument. */
export function getCurrency(instrument: Instrument, market: Market): string {
  return { US: 'USD', HK: 'HKD', CN: 'CNH' }[getMarketName(instrument)] ?? market.currency
}

/** Finds an instrument by its symbol. Hong Kong's symbols may have leading zeros, such as `00005`. */
export function findInstrument(market: Market, symbol: string): Instrument | undefined {
  const found = market.instruments.find((item) => item.symbol === symbol)
  if (found !== undefined || !/^0\d{4}$/.test(symbol)) return found
  const short = symbol.replace(/^0+/, '')
  return market.instruments.find((item) => item.symbol === short && getMarketName(item) === 'HK')
}
