/** The module event service (`grpc.event`) for protobufjs, with the names of `@brokerwire/protos/module`. */
import { grpc } from '../../protobufjs/gen/module.js'

/** A request of the module event service. */
export type ModuleSubscribeRequest = grpc.event.SubscribeRequest
/** Creates, encodes and decodes requests. */
export const ModuleSubscribeRequest: typeof grpc.event.SubscribeRequest = grpc.event.SubscribeRequest

/** An event type of a request, with its cursor. */
export type ModuleSubscribeEvent = grpc.event.SubscribeEvent
/** Creates, encodes and decodes event types of a request. */
export const ModuleSubscribeEvent: typeof grpc.event.SubscribeEvent = grpc.event.SubscribeEvent

/** A message of the module event service. */
export type ModuleSubscribeResponse = grpc.event.SubscribeResponse
/** Creates, encodes and decodes messages. */
export const ModuleSubscribeResponse: typeof grpc.event.SubscribeResponse = grpc.event.SubscribeResponse

/** The types of messages. */
export type ModuleMessageType = grpc.event.Type
/** Numbers of the message types by name, and their names by number. */
export const ModuleMessageType: typeof grpc.event.Type = grpc.event.Type
