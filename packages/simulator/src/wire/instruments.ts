/**
 * A few tradable instruments. Their prices are invented. To test clients, one name needs escapes in JSON, and
 * one is not ASCII.
 */
import type { Region } from '@brokerwire/core/endpoints'
import { randomDigits } from './identifiers.ts'
import type { WireRandom } from './random.ts'

/** The instrument of an order. */
export interface Instrument {
  /** Value of the wire field `instrument_id`. */
  readonly instrumentId: string
  /** Symbol, as in orders and subscriptions. */
  readonly symbol: string
  /** Value of the wire field `short_name`. */
  readonly shortName: string
  /** Value of the wire field `category`. */
  readonly category: string
  /** CUSIP number; empty if there is none. */
  readonly cusip: string
  /** ISIN number; empty if there is none. */
  readonly isin: string
  /** Name of the exchange, such as `NASDAQ`. */
  readonly exchange: string
  /** Price around which orders are filled, in cents. */
  readonly priceCents: number
}

const US: readonly [Instrument, ...Instrument[]] = [
  {
    instrumentId: '913256135',
    symbol: 'AAPL',
    shortName: 'Apple Inc',
    category: 'US_STOCK',
    cusip: '037833100',
    isin: 'US0378331005',
    exchange: 'NASDAQ',
    priceCents: 23_812,
  },
  {
    instrumentId: '913255598',
    symbol: 'TSLA',
    shortName: 'Tesla Inc',
    category: 'US_STOCK',
    cusip: '88160R101',
    isin: 'US88160R1014',
    exchange: 'NASDAQ',
    priceCents: 41_250,
  },
  {
    instrumentId: '913354090',
    symbol: 'BRK.B',
    shortName: 'Berkshire Hathaway "B" <Class>',
    category: 'US_STOCK',
    cusip: '084670702',
    isin: 'US0846707026',
    exchange: 'NYSE',
    priceCents: 48_795,
  },
]

const HK: readonly [Instrument, ...Instrument[]] = [
  {
    instrumentId: '913404111',
    symbol: '700',
    shortName: '騰訊控股',
    category: 'HK_STOCK',
    cusip: '',
    isin: 'KYG875721634',
    exchange: 'HKEX',
    priceCents: 51_050,
  },
  {
    instrumentId: '913404388',
    symbol: '5',
    shortName: 'HSBC Holdings & Co',
    category: 'HK_STOCK',
    cusip: '',
    isin: 'GB0005405286',
    exchange: 'HKEX',
    priceCents: 10_120,
  },
]

/** The string fields of an {@link Instrument}. */
export const INSTRUMENT_STRINGS = [
  'instrumentId',
  'symbol',
  'shortName',
  'category',
  'cusip',
  'isin',
  'exchange',
] as const

/** Generates an instrument for a symbol. */
export function generateInstrument(random: WireRandom, region: Region, symbol: string): Instrument {
  const [listed] = MARKETS[region].instruments
  return {
    instrumentId: randomDigits(random, 9),
    symbol,
    shortName: symbol,
    category: listed.category,
    cusip: '',
    isin: '',
    exchange: listed.exchange,
    priceCents: random.integer(1_000, 50_000),
  }
}

/** Instruments and properties of a region's market. */
export interface Market {
  readonly instruments: readonly [Instrument, ...Instrument[]]
  readonly currency: string
  /** Value of the wire field `market` in calendar updates. */
  readonly market: string
  /** Time zone of wire timestamps, in minutes east of UTC. */
  readonly offsetMinutes: number
}

/** The market of each region. */
export const MARKETS: Readonly<Record<Region, Market>> = {
  us: { instruments: US, currency: 'USD', market: 'US', offsetMinutes: -300 },
  hk: { instruments: HK, currency: 'HKD', market: 'HK', offsetMinutes: 480 },
}
