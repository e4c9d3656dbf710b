/** The operations of market data over HTTP. They need a market data subscription that was bought for the API. */
import { array, type Infer, integerLike, object, openEnum, optional, string } from '@brokerwire/payloads'
import { field } from '../fields.ts'
import { createOperation } from '../operation.ts'
import { amount } from './amount.ts'
import { SIXTY_A_MINUTE } from './limits.ts'

const SOURCES = ['US', 'HK', 'HK5', 'PY2', 'JA', 'US-rate']
const category = field.oneOf('US_STOCK', 'US_ETF', 'HK_STOCK', 'CN_STOCK')
const tradingSessions = field.array(field.oneOf('PRE', 'RTH', 'ATH', 'OVN'), [1, 4])

const snapshot = object({
  symbol: string,
  instrumentId: optional(string),
  price: optional(amount),
  open: optional(amount),
  close: optional(amount),
  high: optional(amount),
  low: optional(amount),
  preClose: optional(amount),
  volume: optional(amount),
  turnover: optional(amount),
  change: optional(amount),
  changeRatio: optional(amount),
  ask: optional(amount),
  askSize: optional(amount),
  bid: optional(amount),
  bidSize: optional(amount),
  eps: optional(amount),
  epsTtm: optional(amount),
  bps: optional(amount),
  lotSize: optional(amount),
  lastTradeTime: optional(integerLike),
  quoteTime: optional(integerLike),
  extendHourLastTradeTime: optional(integerLike),
  extendHourLastPrice: optional(amount),
  extendHourHigh: optional(amount),
  extendHourLow: optional(amount),
  extendHourChange: optional(amount),
  extendHourChangeRatio: optional(amount),
  extendHourVolume: optional(amount),
  ovnLastTradeTime: optional(integerLike),
  ovnPrice: optional(amount),
  ovnHigh: optional(amount),
  ovnLow: optional(amount),
  ovnVolume: optional(amount),
  ovnChange: optional(amount),
  ovnChangeRatio: optional(amount),
  ovnAsk: optional(amount),
  ovnAskSize: optional(amount),
  ovnBid: optional(amount),
  ovnBidSize: optional(amount),
  fiftyTwoWkHigh: optional(amount),
  fiftyTwoWkLow: optional(amount),
  marketValue: optional(amount),
  negMarketValue: optional(amount),
  totalShares: optional(amount),
  outStandingShares: optional(amount),
  peRatio: optional(amount),
  pbRatio: optional(amount),
  psRatio: optional(amount),
  yield: optional(amount),
  listStatus: optional(string),
  tradeStatus: optional(string),
})

/** The current prices of a symbol. Times are milliseconds since the Unix epoch. */
export interface StockSnapshot extends Infer<typeof snapshot> {}

/** Reads the current prices of symbols. The service does not promise an order of the entries. */
export const listSnapshots = createOperation(
  {
    name: 'stocks.snapshots',
    method: 'GET',
    paths: {
      current: '/market-data/stocks/snapshots/list',
      openapi: '/openapi/market-data/stock/snapshot',
    },
    fields: {
      symbols: field.array(field.string(), [1, 100]),
      category,
      extendHourRequired: field.boolean,
      overnightRequired: field.boolean,
    },
    retry: 'always',
    rateLimits: SIXTY_A_MINUTE,
    regions: 'US: US_STOCK, US_ETF. HK: also HK_STOCK, CN_STOCK. Leaving the two flags out failed in JP.',
    sources: [...SOURCES, 'O-prod'],
    confidence: 'documented',
  },
  array(snapshot),
)

const bar = object({
  time: string,
  open: optional(amount),
  close: optional(amount),
  high: optional(amount),
  low: optional(amount),
  volume: optional(amount),
  tradingSession: optional(string),
})

const barLists = object({
  result: array(object({ symbol: string, instrumentId: optional(string), result: array(bar) })),
})

/** Bars of several symbols, the newest first. */
export interface StockBars extends Infer<typeof barLists> {}

/**
 * Reads bars of symbols. Bars of a day or longer are forward adjusted, but bars of minutes are not. To read earlier
 * bars, set an earlier `endTime`.
 */
export const listBars = createOperation(
  {
    name: 'stocks.bars',
    method: 'POST',
    paths: {
      current: '/market-data/stocks/bars/list',
      openapi: '/openapi/market-data/stock/batch-bars',
    },
    fields: {
      symbols: field.array(field.string(), [1, 20]),
      category,
      timespan: field.oneOf('M1', 'M5', 'M15', 'M30', 'M60', 'M120', 'M240', 'D', 'W', 'M', 'Y', 'S5', 'S15'),
      count: field.optional(field.integer(1, 1650)),
      realTimeRequired: field.optional(field.boolean),
      tradingSessions: field.optional(
        field.string({
          pattern: /^(?:\w{2,8})(?:,\w{2,8})*$/,
          expected: 'sessions with commas, such as "PRE,RTH"',
        }),
      ),
      startTime: field.optional(field.integer(0, 8_640_000_000_000_000)),
      endTime: field.optional(field.integer(0, 8_640_000_000_000_000)),
    },
    retry: 'always',
    rateLimits: SIXTY_A_MINUTE,
    regions: 'US: US_STOCK, US_ETF. HK: also HK_STOCK, CN_STOCK.',
    sources: [...SOURCES, 'US-log'],
    confidence: 'documented',
  },
  barLists,
)

const level = object({
  price: amount,
  size: amount,
  order: optional(array(object({ mpid: optional(string), size: optional(amount) }))),
  broker: optional(array(object({ bid: optional(string), name: optional(string) }))),
})

const depth = object({
  symbol: string,
  instrumentId: optional(string),
  quoteTime: optional(integerLike),
  asks: array(level),
  bids: array(level),
})

/** The order book of a symbol. `quoteTime`: milliseconds since the Unix epoch. */
export interface StockDepth extends Infer<typeof depth> {}

/**
 * Reads the order book of a symbol. For an app that has only the right for level 1, a greater depth fails
 * with 403.
 */
export const getDepth = createOperation(
  {
    name: 'stocks.depth',
    method: 'GET',
    paths: {
      current: '/market-data/stocks/depths/list',
      openapi: '/openapi/market-data/stock/quotes',
    },
    fields: {
      symbol: field.string(),
      category,
      depth: field.integer(1, 1000),
      overnightRequired: field.boolean,
    },
    retry: 'always',
    rateLimits: SIXTY_A_MINUTE,
    regions: 'HK: brokers of a level.',
    sources: SOURCES,
    confidence: 'documented',
  },
  depth,
)

const ticks = object({
  symbol: string,
  instrumentId: optional(string, 'instrument_id', 'instrumentId'),
  result: array(
    object({
      time: string,
      price: amount,
      volume: optional(amount),
      side: optional(openEnum('B', 'S', 'G', 'L', 'N')),
      tradingSession: optional(string),
    }),
  ),
})

/** Trades of a symbol, the newest first. `time`: milliseconds since the Unix epoch, as a string. */
export interface StockTicks extends Infer<typeof ticks> {}

/** Reads the latest trades of a symbol. */
export const listTicks = createOperation(
  {
    name: 'stocks.ticks',
    method: 'GET',
    paths: { current: '/market-data/stocks/ticks/list', openapi: '/openapi/market-data/stock/tick' },
    fields: {
      symbol: field.string(),
      category,
      count: field.integer(1, 1000),
      tradingSessions,
    },
    retry: 'always',
    rateLimits: SIXTY_A_MINUTE,
    regions: 'US: a paging parameter was renamed on 2026-10-31; no source shows its name.',
    sources: [...SOURCES, 'US-log'],
    confidence: 'documented',
  },
  ticks,
)
