/**
 * The module event service (`grpc.event`), with the prefix `Module`, because the trade service has messages
 * with the same names.
 */
export {
  EventService as ModuleEventService,
  file_grpc_event_event_service as moduleEventFile,
  type SubscribeEvent as ModuleSubscribeEvent,
  SubscribeEventSchema as ModuleSubscribeEventSchema,
  type SubscribeRequest as ModuleSubscribeRequest,
  SubscribeRequestSchema as ModuleSubscribeRequestSchema,
  type SubscribeResponse as ModuleSubscribeResponse,
  SubscribeResponseSchema as ModuleSubscribeResponseSchema,
  Type as ModuleMessageType,
  TypeSchema as ModuleMessageTypeSchema,
} from './gen/grpc/event/event_service_pb.ts'
