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

type TradeRequestInput = Pick<TradeSubscribeRequest, 'subscribeType'> &
  Partial<Pick<TradeSubscribeRequest, 'contentType' | 'payload'>> & { readonly accounts: readonly string[] }

/** `timestamp` is always sent, as the service's public clients do (facts, Streams). */
export function tradeRequest(input: TradeRequestInput, nowMs: number): TradeSubscribeRequest {
  const timestamp = BigInt(Math.trunc(nowMs))
  return create(TradeSubscribeRequestSchema, { ...input, accounts: [...input.accounts], timestamp })
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
