/** The requests of both services, as plain data turned into messages. */

import { describe } from '@brokerwire/core'
import {
  type ModuleSubscribeRequest,
  ModuleSubscribeRequestSchema,
  type TradeSubscribeRequest,
  TradeSubscribeRequestSchema,
} from '@brokerwire/protos'
import { create } from '@bufbuild/protobuf'
import { optionInvalid } from '../streams-error.ts'

export interface TradeRequestInput {
  readonly subscribeType: number
  readonly accounts: readonly string[]
  readonly contentType?: string | undefined
  readonly payload?: string | undefined
}

/** `timestamp` is always sent, as the service's public clients do (facts, Streams). */
export function tradeRequest(input: TradeRequestInput, nowMs: number): TradeSubscribeRequest {
  return create(TradeSubscribeRequestSchema, {
    subscribeType: input.subscribeType,
    timestamp: BigInt(Math.trunc(nowMs)),
    contentType: input.contentType ?? '',
    payload: input.payload ?? '',
    accounts: [...input.accounts],
  })
}

/** @param cursors - Position by event type; where there is none, from now on. */
export function moduleRequest(
  eventTypes: readonly string[],
  cursors: ReadonlyMap<string, string>,
  timestamp: unknown,
): ModuleSubscribeRequest {
  if (typeof timestamp !== 'string')
    throw optionInvalid('timestamp', 'a function that returns a string', describe(timestamp))
  return create(ModuleSubscribeRequestSchema, {
    events: eventTypes.map((eventType) => ({ eventType, position: cursors.get(eventType) ?? '' })),
    timestamp,
  })
}
