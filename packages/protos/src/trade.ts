/**
 * The trade/position event service (`grpc.trade.event`), with the prefix `Trade`. The module service has messages with the same
 * names, and enums with other numbers.
 */
export {
  EventService as TradeEventService,
  EventType as TradeEventType,
  EventTypeSchema as TradeEventTypeSchema,
  file_grpc_trade_event_events as tradeEventFile,
  type SubscribeRequest as TradeSubscribeRequest,
  SubscribeRequestSchema as TradeSubscribeRequestSchema,
  type SubscribeResponse as TradeSubscribeResponse,
  SubscribeResponseSchema as TradeSubscribeResponseSchema,
} from './gen/grpc/trade/event/events_pb.ts'
