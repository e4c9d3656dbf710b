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

/** Makes the control frames of one subscription. */
export interface Dialect<M> {
  success(): M
  ping(): M
  /** @param text - What a person reads. */
  control(kind: ControlKind, text: string): M
  /** The same message with JSON that ends early. */
  corruptPayload(message: M): M
}

/** What control frames carry. */
export interface DialectInput {
  /** Names the connection, the same on every ping. */
  readonly connectionId: string
  readonly now: () => number
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
  const frame = (eventType: number, payload: string): TradeSubscribeResponse =>
    create(TradeSubscribeResponseSchema, {
      eventType,
      subscribeType,
      contentType: 'text/plain',
      payload,
      requestId: input.connectionId,
      timestamp: BigInt(input.now()),
    })
  return {
    success: () => frame(TradeEventType.SubscribeSuccess, ''),
    ping: () => frame(TradeEventType.Ping, ''),
    control: (kind, text) => frame(TRADE_CODES[kind], text),
    corruptPayload: cutPayload,
  }
}

/** The module service's control frames carry an id and a timestamp, nothing to name the connection. */
export function moduleDialect(input: DialectInput): Dialect<ModuleSubscribeResponse> {
  const frame = (type: number, payload: string): ModuleSubscribeResponse =>
    create(ModuleSubscribeResponseSchema, {
      type,
      id: input.nextId(),
      timestamp: String(input.now()),
      payload,
    })
  return {
    success: () => frame(ModuleMessageType.SubscribeSuccess, ''),
    ping: () => frame(ModuleMessageType.Ping, ''),
    control: (kind, text) => frame(MODULE_CODES[kind], text),
    corruptPayload: cutPayload,
  }
}

function cutPayload<M extends { payload: string }>(message: M): M {
  return { ...message, payload: message.payload.slice(0, Math.floor(message.payload.length / 2)) }
}
