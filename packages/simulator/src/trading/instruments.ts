/** The tradable instruments of an app, as orders and queries name them. */
import type { Region } from '@brokerwire/core/endpoints'
import type { Instrument, Market } from '../wire/instruments.ts'

/** Markets in which orders of a region may trade (packages/operations/OPERATIONS.md, order item). */
export const MARKET_NAMES: Readonly<Record<Region, readonly string[]>> = {
  us: ['US'],
  hk: ['US', 'HK', 'CN'],
}

/** Categories of instruments for which a region has profiles and quotes. */
export const STOCK_CATEGORIES: Readonly<Record<Region, readonly string[]>> = {
  us: ['US_STOCK', 'US_ETF'],
  hk: ['US_STOCK', 'US_ETF', 'HK_STOCK', 'CN_STOCK'],
}

/**
 * Lot size of instruments in Hong Kong. It is invented: on the exchange, the lot size differs by instrument.
 */
const HK_LOT_SIZE = 100

/** Returns the market of an instrument: `US`, `HK` or `CN`. */
export function getMarketName({ category }: Instrument): string {
  return category.split('_', 1)[0] ?? ''
}

export function getLotSize(instrument: Instrument): number {
  return getMarketName(instrument) === 'HK' ? HK_LOT_SIZE : 1
}

/** Whether fractions of the instrument can be traded. */
export function isFractionable(instrument: Instrument): boolean {
  return getMarketName(instrument) === 'US'
}

/** Returns the currency of the prices of an instrument. */
export function getCurrency(instrument: Instrument, market: Market): string {
  return { US: 'USD', HK: 'HKD', CN: 'CNH' }[getMarketName(instrument)] ?? market.currency
}

/**
 * Finds an instrument by its symbol. The symbol of an instrument in Hong Kong may have leading zeros, such as
 * `00005`.
 */
export function findInstrument(market: Market, symbol: string): Instrument | undefined {
  const found = market.instruments.find((item) => item.symbol === symbol)
  if (found !== undefined || !/^0\d{4}$/.test(symbol)) return found
  const short = symbol.replace(/^0+/, '')
  return market.instruments.find((item) => item.symbol === short && getMarketName(item) === 'HK')
}
