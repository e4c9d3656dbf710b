/** Generated messages and Connect service descriptors of both event services. */
export {
  ModuleEventService,
  ModuleMessageType,
  ModuleMessageTypeSchema,
  type ModuleSubscribeEvent,
  ModuleSubscribeEventSchema,
  type ModuleSubscribeRequest,
  ModuleSubscribeRequestSchema,
  type ModuleSubscribeResponse,
  ModuleSubscribeResponseSchema,
  moduleEventFile,
} from './module.ts'
export {
  TradeEventService,
  TradeEventType,
  TradeEventTypeSchema,
  type TradeSubscribeRequest,
  TradeSubscribeRequestSchema,
  type TradeSubscribeResponse,
  TradeSubscribeResponseSchema,
  tradeEventFile,
} from './trade.ts'
