/**
 * The trade/position event service (`grpc.trade.event`) for protobufjs, with the names of `@brokerwire/protos/trade`. The code is
 * static, so it needs only `protobufjs/minimal.js`.
 */
import { grpc } from '../../protobufjs/gen/trade.js'

/** A request of the trade event service. */
export type TradeSubscribeRequest = grpc.trade.event.SubscribeRequest
/** Creates, encodes and decodes requests. */
export const TradeSubscribeRequest: typeof grpc.trade.event.SubscribeRequest =
  grpc.trade.event.SubscribeRequest

/** A message of the trade event service. `timestamp` is a `Long` if it was decoded, and `0` if it is absent. */
export type TradeSubscribeResponse = grpc.trade.event.SubscribeResponse
/** Creates, encodes and decodes messages. */
export const TradeSubscribeResponse: typeof grpc.trade.event.SubscribeResponse =
  grpc.trade.event.SubscribeResponse

/** The control messages. Messages with data have other numbers in `eventType`. */
export type TradeEventType = grpc.trade.event.EventType
/** Numbers of the control messages by name, and their names by number. */
export const TradeEventType: typeof grpc.trade.event.EventType = grpc.trade.event.EventType
