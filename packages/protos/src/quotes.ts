/**
 * The messages of market data, with the prefix `Market`, because `Quote` or `Order` alone would be ambiguous. They have their own
 * entry, so that programs for event streams do not load them.
 */
export {
  type AskBid as MarketAskBid,
  AskBidSchema as MarketAskBidSchema,
  type Basic as MarketBasic,
  BasicSchema as MarketBasicSchema,
  type Broker as MarketBroker,
  BrokerSchema as MarketBrokerSchema,
  type EventAskBid as MarketEventAskBid,
  EventAskBidSchema as MarketEventAskBidSchema,
  type EventQuote as MarketEventQuote,
  EventQuoteSchema as MarketEventQuoteSchema,
  type EventSnapshot as MarketEventSnapshot,
  EventSnapshotSchema as MarketEventSnapshotSchema,
  type EventTick as MarketEventTick,
  EventTickSchema as MarketEventTickSchema,
  file_quotes_quotes as marketDataFile,
  type Order as MarketOrder,
  OrderSchema as MarketOrderSchema,
  type Quote as MarketQuote,
  QuoteSchema as MarketQuoteSchema,
  type Snapshot as MarketSnapshot,
  SnapshotSchema as MarketSnapshotSchema,
  type Tick as MarketTick,
  TickSchema as MarketTickSchema,
} from './gen/quotes/quotes_pb.ts'
