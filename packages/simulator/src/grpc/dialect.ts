/**
 * Control frames with the numbers of each service. The enums of the two services look similar but have
 * different numbers: AuthError is 2 in one enum and 3 in the other. Only this file uses the numbers.
 */

import {
  ModuleMessageType,
  type ModuleSubscribeResponse,
  ModuleSubscribeResponseSchema,
  TradeEventType,
  type TradeSubscribeResponse,
  TradeSubscribeResponseSchema,
} from '@brokerwire/protos'
import { create } from '@bufbuild/protobuf'

/** Control frames that end a subscription. */
export type ControlFrame = 'auth-error' | 'connection-limit' | 'expired' | 'unknown-control'

/** Creates the control frames of one subscription. `nowMs` is the time of the frame. */
export interface Dialect<M> {
  success(nowMs: number): M
  ping(nowMs: number): M
  /** @param text - Payload of the frame: a message for people. */
  control(kind: ControlFrame, text: string, nowMs: number): M
  /** Returns a copy of the message with truncated JSON. */
  corruptPayload(message: M): M
}

/** Content of control frames. */
export interface DialectInput {
  /** Identifier of the connection, which is the same in every control frame of the trade service. */
  readonly connectionId: string
  /** Returns a new message id. */
  readonly nextId: () => string
}

/** A number that is not in the enum of either service. */
const UNKNOWN_CONTROL = 77

const TRADE_CODES: Readonly<Record<ControlFrame, number>> = {
  'auth-error': TradeEventType.AuthError,
  'connection-limit': TradeEventType.NumOfConnExceed,
  expired: TradeEventType.SubscribeExpired,
  'unknown-control': UNKNOWN_CONTROL,
}

const MODULE_CODES: Readonly<Record<ControlFrame, number>> = {
  'auth-error': ModuleMessageType.AuthError,
  'connection-limit': ModuleMessageType.NumOfConnExceed,
  expired: ModuleMessageType.SubscribeExpired,
  'unknown-control': UNKNOWN_CONTROL,
}

/** @param subscribeType - Copied to every control frame. */
export function tradeDialect(input: DialectInput, subscribeType: number): Dialect<TradeSubscribeResponse> {
  const frame = (eventType: number, payload: string, nowMs: number): TradeSubscribeResponse =>
    create(TradeSubscribeResponseSchema, {
      eventType,
      subscribeType,
      contentType: 'text/plain',
      payload,
      requestId: input.connectionId,
      timestamp: BigInt(nowMs),
    })
  return {
    success: (nowMs) => frame(TradeEventType.SubscribeSuccess, '', nowMs),
    ping: (nowMs) => frame(TradeEventType.Ping, '', nowMs),
    control: (kind, text, nowMs) => frame(TRADE_CODES[kind], text, nowMs),
    corruptPayload: cutPayload,
  }
}

/** Control frames of the module service have an id and a timestamp, but no connection id. */
export function moduleDialect(input: DialectInput): Dialect<ModuleSubscribeResponse> {
  const frame = (type: number, payload: string, nowMs: number): ModuleSubscribeResponse =>
    create(ModuleSubscribeResponseSchema, {
      type,
      id: input.nextId(),
      timestamp: String(nowMs),
      payload,
    })
  return {
    success: (nowMs) => frame(ModuleMessageType.SubscribeSuccess, '', nowMs),
    ping: (nowMs) => frame(ModuleMessageType.Ping, '', nowMs),
    control: (kind, text, nowMs) => frame(MODULE_CODES[kind], text, nowMs),
    corruptPayload: cutPayload,
  }
}

function cutPayload<M extends { payload: string }>(message: M): M {
  return { ...message, payload: message.payload.slice(0, Math.floor(message.payload.length / 2)) }
}
