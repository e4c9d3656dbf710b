/**
 * The trade/position event service (`grpc.trade.event`), under names that do not collide with the module
 * service's: both services call their messages alike, and their enums are numbered differently.
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
