/**
 * Control frames in each service's own numbers.
 *
 * The two enums look alike and are numbered differently (AuthError is 2 in one and 3 in the other): the only place
 * that knows is here.
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
export type ControlKind = 'auth-error' | 'connection-limit' | 'expired' | 'unknown-control'

/** Makes the control frames of one subscription. `nowMs` is the instant of whatever sends the frame. */
export interface Dialect<M> {
  success(nowMs: number): M
  ping(nowMs: number): M
  /** @param text - What a person reads. */
  control(kind: ControlKind, text: string, nowMs: number): M
  /** The same message with JSON that ends early. */
  corruptPayload(message: M): M
}

/** What control frames carry. */
export interface DialectInput {
  /** Names the connection, the same on every ping. */
  readonly connectionId: string
  /** A new message id. */
  readonly nextId: () => string
}

/** A number that neither service's enum has. */
const UNKNOWN_CONTROL = 77

const TRADE_CODES: Readonly<Record<ControlKind, number>> = {
  'auth-error': TradeEventType.AuthError,
  'connection-limit': TradeEventType.NumOfConnExceed,
  expired: TradeEventType.SubscribeExpired,
  'unknown-control': UNKNOWN_CONTROL,
}

const MODULE_CODES: Readonly<Record<ControlKind, number>> = {
  'auth-error': ModuleMessageType.AuthError,
  'connection-limit': ModuleMessageType.NumOfConnExceed,
  expired: ModuleMessageType.SubscribeExpired,
  'unknown-control': UNKNOWN_CONTROL,
}

/** @param subscribeType - Echoed on every control frame. */
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

/** The module service's control frames carry an id and a timestamp, nothing to name the connection. */
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
