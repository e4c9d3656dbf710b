/**
 * Trade and position streams: no cursor, so what the service sends during a gap may be lost, and each gap is
 * reported with its bounds.
 */
import {
  array,
  boolean,
  describe,
  type FieldsOf,
  func,
  integer,
  optional,
  readOptions,
  type Schema,
  signal,
  string,
} from '@brokerwire/core/internal'
import {
  TradeEventService,
  type TradeSubscribeRequest,
  TradeSubscribeRequestSchema,
} from '@brokerwire/protos'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import type { ReconcileHook, StreamsContext } from './context.ts'
import type { Outlet } from './delivery/delivery.ts'
import { TradeDelivery } from './delivery/trade-delivery.ts'
import type { EventStream } from './event-stream.ts'
import type { StreamNotice } from './items/notices.ts'
import { tradeFrames } from './items/trade-frames.ts'
import type { TradeDecoders, TradeStreamEvent } from './items/trade-items.ts'
import { optionInvalid } from './streams-error.ts'
import type { ServiceTarget } from './subscription/connection.ts'
import { superviseStream } from './supervised-stream.ts'

/** Options of `tradeEvents` and `positionEvents`. */
export interface TradeStreamOptions {
  /** Identifiers of the accounts; at least one. */
  readonly accounts: readonly string[]
  /**
   * 1 or 2; another one with `allowOtherSubscribeTypes` only.
   * @defaultValue 1 for trade events, 2 for position events
   */
  readonly subscribeType?: number | undefined
  /**
   * Sends any `subscribeType`: public clients also send sums (1 orders, 2 positions, 4 options), which the
   * specification does not have. @defaultValue false
   */
  readonly allowOtherSubscribeTypes?: boolean | undefined
  /** @defaultValue '' */
  readonly contentType?: string | undefined
  /** @defaultValue '' */
  readonly payload?: string | undefined
  /** Called after each SubscribeSuccess and on a timer. */
  readonly reconcile?: ReconcileHook | undefined
  readonly signal?: AbortSignal | undefined
}

const text: Schema<string> = (value = '', path, fail) => {
  if (typeof value === 'string') return value
  throw fail(path, 'a string', describe(value))
}
const TRADE_OPTIONS = {
  accounts: array(string(), { expected: 'a non-empty array of account identifiers' }),
  subscribeType: optional(integer({ min: 1, max: 0xff_ff_ff_ff })),
  allowOtherSubscribeTypes: boolean(false),
  contentType: text,
  payload: text,
  reconcile: optional(func<ReconcileHook>()),
  signal,
} satisfies FieldsOf<TradeStreamOptions>

/** An item of a trade or position stream. */
export type TradeStreamItem = TradeStreamEvent | StreamNotice

/** Makes a trade or position stream. @throws StreamsError `STREAM_OPTION_INVALID`. */
export function createTradeStream(
  context: StreamsContext,
  target: ServiceTarget,
  name: 'trade' | 'position',
  input: TradeStreamOptions,
  decoders: TradeDecoders,
): EventStream<TradeStreamItem> {
  const options = readOptions(optionInvalid, input, TRADE_OPTIONS)
  const { accounts, contentType, payload, allowOtherSubscribeTypes } = options
  const { subscribeType = name === 'trade' ? 1 : 2 } = options
  if (subscribeType > 2 && !allowOtherSubscribeTypes)
    throw optionInvalid(
      'subscribeType',
      '1 or 2, or another number with allowOtherSubscribeTypes: true',
      String(subscribeType),
    )
  return superviseStream({
    context,
    target,
    name,
    options,
    method: TradeEventService.method.subscribe,
    sentMs: tradeFrames.serverMs,
    deliver: (outlet: Outlet<TradeStreamEvent>) => new TradeDelivery(outlet, decoders, context.random),
    request: (nowMs) => tradeRequest({ accounts: [...accounts], contentType, payload, subscribeType }, nowMs),
  })
}

/** `timestamp` is always sent, as the service's public clients do (facts, Streams). */
export function tradeRequest(
  input: MessageInitShape<typeof TradeSubscribeRequestSchema>,
  nowMs: number,
): TradeSubscribeRequest {
  return create(TradeSubscribeRequestSchema, { ...input, timestamp: BigInt(Math.trunc(nowMs)) })
}
