/**
 * Simulated prices. The price of each symbol is a random walk from the seed, and the bids of its order book
 * stay below its asks. All values are invented.
 */
import {
  MarketEventQuoteSchema,
  MarketEventSnapshotSchema,
  MarketEventTickSchema,
  MarketQuoteSchema,
  MarketSnapshotSchema,
  MarketTickSchema,
} from '@brokerwire/protos/quotes'
import { create, toBinary } from '@bufbuild/protobuf'
import type { WireRandom } from '../wire/random.ts'
import type { SubscribedSymbol, SubType } from './sessions.ts'

/** An outgoing message. */
export interface QuoteMessage {
  readonly topic: string
  readonly payload: Uint8Array
}

interface PriceState {
  cents: number
  readonly openCents: number
  highCents: number
  lowCents: number
  volume: number
  trades: number
}

const formatPrice = (cents: number): string => (cents / 100).toFixed(2)
const EVENT = 'US_EVENT'

export interface QuoteMarket {
  /** Moves the price of a symbol by one trade. */
  move(symbol: string): void
  /** Creates a message of this type with the current prices. */
  message(subscribed: SubscribedSymbol, type: SubType, nowMs: number): QuoteMessage
}

/**
 * Maximum number of symbols without a subscription whose prices are stored. When it is reached, the prices of
 * all such symbols are removed. If one of them is subscribed again, its price begins again.
 */
const MAX_IDLE_SYMBOLS = 10_000

/** @param getSubscribedSymbols - Returns the subscribed symbols. */
export function createQuoteMarket(
  random: WireRandom,
  getSubscribedSymbols: () => ReadonlySet<string>,
): QuoteMarket {
  const prices = new Map<string, PriceState>()
  let removeIdleAt = MAX_IDLE_SYMBOLS
  const removeIdle = (): void => {
    const subscribed = getSubscribedSymbols()
    for (const symbol of prices.keys()) if (!subscribed.has(symbol)) prices.delete(symbol)
    removeIdleAt = prices.size + MAX_IDLE_SYMBOLS
  }
  const getPriceState = (symbol: string): PriceState => {
    const known = prices.get(symbol)
    if (known !== undefined) return known
    if (prices.size >= removeIdleAt) removeIdle()
    const cents = random.integer(1_000, 50_000)
    const state: PriceState = {
      cents,
      openCents: cents,
      highCents: cents,
      lowCents: cents,
      volume: 0,
      trades: 0,
    }
    prices.set(symbol, state)
    return state
  }

  function levels(cents: number, side: 1 | -1, depth: number): { price: string; size: string }[] {
    // The best bid is at least one cent below the best ask.
    return Array.from({ length: Math.min(depth, 50) }, (_, index) => ({
      price: formatPrice(Math.max(1, cents + side * (1 + index))),
      size: String(random.integer(1, 900)),
    }))
  }

  function eventMessage(walk: PriceState, type: SubType, basic: object): QuoteMessage {
    // The prices of yes and no add up to 100 cents.
    const yes = (walk.cents % 97) + 1
    const price = formatPrice(yes)
    switch (type) {
      case 'QUOTE': {
        const bid = (cents: number) => [
          { price: formatPrice(Math.max(1, cents - 1)), size: String(random.integer(1, 900)) },
        ]
        const book = { basic, yesBids: bid(yes), noBids: bid(100 - yes) }
        return {
          topic: 'event-quote',
          payload: toBinary(MarketEventQuoteSchema, create(MarketEventQuoteSchema, book)),
        }
      }
      case 'SNAPSHOT': {
        const state = {
          basic,
          price,
          volume: String(walk.volume),
          yesAsk: formatPrice(yes + 1),
          yesBid: price,
        }
        const payload = toBinary(MarketEventSnapshotSchema, create(MarketEventSnapshotSchema, state))
        return { topic: 'event-snapshot', payload }
      }
      default: {
        const trade = {
          basic,
          yesPrice: price,
          noPrice: formatPrice(100 - yes),
          volume: '1',
          side: 'B',
          tradeId: String(walk.trades),
        }
        return {
          topic: 'event-tick',
          payload: toBinary(MarketEventTickSchema, create(MarketEventTickSchema, trade)),
        }
      }
    }
  }

  return {
    move(symbol) {
      const walk = getPriceState(symbol)
      walk.cents = Math.max(100, walk.cents + random.integer(-25, 25))
      walk.highCents = Math.max(walk.highCents, walk.cents)
      walk.lowCents = Math.min(walk.lowCents, walk.cents)
      walk.volume += random.integer(1, 500)
      walk.trades += 1
    },
    message({ category, symbol, depth, overnight }, type, nowMs) {
      const walk = getPriceState(symbol)
      const timestamp = String(nowMs)
      const basic = { symbol, instrumentId: '', timestamp, tradingSession: 'RTH' }
      if (category === EVENT) return eventMessage(walk, type, basic)
      const price = formatPrice(walk.cents)
      const change = walk.cents - walk.openCents
      switch (type) {
        case 'QUOTE': {
          const book = { basic, asks: levels(walk.cents, 1, depth), bids: levels(walk.cents, -1, depth) }
          return { topic: 'quote', payload: toBinary(MarketQuoteSchema, create(MarketQuoteSchema, book)) }
        }
        case 'SNAPSHOT': {
          const state = {
            basic,
            tradeTime: timestamp,
            price,
            open: formatPrice(walk.openCents),
            high: formatPrice(walk.highCents),
            low: formatPrice(walk.lowCents),
            preClose: formatPrice(walk.openCents),
            volume: String(walk.volume),
            change: formatPrice(change),
            changeRatio: (change / walk.openCents).toFixed(4),
            ...(overnight ? { ovnTradeTime: timestamp, ovnPrice: price } : {}),
          }
          return {
            topic: 'snapshot',
            payload: toBinary(MarketSnapshotSchema, create(MarketSnapshotSchema, state)),
          }
        }
        default: {
          const side = change >= 0 ? 'B' : 'S'
          const trade = { basic, time: timestamp, price, volume: String(random.integer(1, 500)), side }
          return { topic: 'tick', payload: toBinary(MarketTickSchema, create(MarketTickSchema, trade)) }
        }
      }
    },
  }
}
