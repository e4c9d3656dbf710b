/** The messages of market data for protobufjs, with the names of `@brokerwire/protos/quotes`. */
import { quotes } from '../../protobufjs/gen/quotes.js'

/** The part that all messages have: symbol, instrument and time. */
export type MarketBasic = quotes.Basic
export const MarketBasic: typeof quotes.Basic = quotes.Basic

/** The order book of a stock. */
export type MarketQuote = quotes.Quote
export const MarketQuote: typeof quotes.Quote = quotes.Quote

/** A level of an order book. */
export type MarketAskBid = quotes.AskBid
export const MarketAskBid: typeof quotes.AskBid = quotes.AskBid

/** An order of a level. */
export type MarketOrder = quotes.Order
export const MarketOrder: typeof quotes.Order = quotes.Order

/** A broker of a level. */
export type MarketBroker = quotes.Broker
export const MarketBroker: typeof quotes.Broker = quotes.Broker

/** The state of a stock. */
export type MarketSnapshot = quotes.Snapshot
export const MarketSnapshot: typeof quotes.Snapshot = quotes.Snapshot

/** A trade of a stock. */
export type MarketTick = quotes.Tick
export const MarketTick: typeof quotes.Tick = quotes.Tick

/** The order book of an event contract. */
export type MarketEventQuote = quotes.EventQuote
export const MarketEventQuote: typeof quotes.EventQuote = quotes.EventQuote

/** A level of the order book of an event contract. */
export type MarketEventAskBid = quotes.EventAskBid
export const MarketEventAskBid: typeof quotes.EventAskBid = quotes.EventAskBid

/** The state of an event contract. */
export type MarketEventSnapshot = quotes.EventSnapshot
export const MarketEventSnapshot: typeof quotes.EventSnapshot = quotes.EventSnapshot

/** A trade of an event contract. */
export type MarketEventTick = quotes.EventTick
export const MarketEventTick: typeof quotes.EventTick = quotes.EventTick
