/**
 * Trade, position and account streams: three ways to subscribe to one service. It has no cursor, so what the service sends
 * during a gap may be lost, and each gap is reported with its bounds.
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
import { CompletenessTracker } from './completeness/completeness-tracker.ts'
import { RecentEvents } from './completeness/event-identity.ts'
import type { BackfillHook, SharedContext } from './context.ts'
import { tradeCursorKeys } from './delivery/cursor-keys.ts'
import { CursorStore } from './delivery/cursor-store.ts'
import { TradePipeline } from './delivery/trade-pipeline.ts'
import { TradeProgress } from './delivery/trade-progress.ts'
import type { EventStream } from './event-stream.ts'
import type { StreamNotice } from './items/notices.ts'
import { type ReceivedTradeFrame, TradeFrameDecoder, tradeFrames } from './items/trade-frames.ts'
import type { TradeDecoders, TradeStreamEvent } from './items/trade-items.ts'
import type { UndecodableItem } from './items/undecodable-item.ts'
import type { TradeStreamName } from './observer.ts'
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
  /** Tells apart consumers of the same accounts that share a store and an `identity`. @defaultValue 'default' */
  readonly consumer?: string | undefined
  /** `false` keeps no record in the store of `createStreams`, as if there were none. @defaultValue true */
  readonly persist?: boolean | undefined
  /** Called after each SubscribeSuccess and on a timer. */
  readonly backfill?: BackfillHook | undefined
  readonly signal?: AbortSignal | undefined
}

/** Options of `accountEvents`. */
export interface AccountStreamOptions
  extends Omit<TradeStreamOptions, 'subscribeType' | 'allowOtherSubscribeTypes'> {
  /**
   * The kinds of events: 1 orders, 2 positions, 4 options, or a sum of them. Required, because the sources differ: the
   * specification has 1 and 2 only, the official clients send 3 (Python) and 7 (Java).
   */
  readonly subscribeType: number
}

const text: Schema<string> = (value = '', path, fail) => {
  if (typeof value === 'string') return value
  throw fail(path, 'a string', describe(value))
}
const subscribeType = integer({ min: 1, max: 0xff_ff_ff_ff })
const ACCOUNT_OPTIONS = {
  accounts: array(string(), { expected: 'a non-empty array of account identifiers' }),
  subscribeType,
  contentType: text,
  payload: text,
  consumer: optional(string()),
  persist: boolean(true),
  backfill: optional(func<BackfillHook>()),
  signal,
} satisfies FieldsOf<AccountStreamOptions>
const TRADE_OPTIONS = {
  ...ACCOUNT_OPTIONS,
  subscribeType: optional(subscribeType),
  allowOtherSubscribeTypes: boolean(false),
} satisfies FieldsOf<TradeStreamOptions>

/** An item of a trade, position or account stream. */
export type TradeStreamItem = TradeStreamEvent | UndecodableItem | StreamNotice

/** Makes a trade, position or account stream. @throws StreamsError `STREAM_OPTION_INVALID`. */
export function createTradeStream(
  context: SharedContext,
  target: ServiceTarget,
  name: TradeStreamName,
  input: TradeStreamOptions,
  decoders: TradeDecoders,
): EventStream<TradeStreamItem> {
  const options =
    name === 'account' ? readOptions(optionInvalid, input, ACCOUNT_OPTIONS) : readTradeOptions(name, input)
  const { accounts, contentType, payload, subscribeType, consumer = 'default' } = options
  const { clock, random, store, identity, maxIdBytes } = context
  const decoder = new TradeFrameDecoder()
  return superviseStream<typeof TradeSubscribeRequestSchema, ReceivedTradeFrame, TradeStreamEvent>({
    context,
    target,
    name,
    options,
    method: TradeEventService.method.subscribe,
    decoder,
    serverTimeMs: tradeFrames.serverTimeMs,
    stages({ output, ids, fail }) {
      const isIdle = (): boolean => output.queue.pushed === progress.handledItems
      const completeness = new CompletenessTracker({
        isIdle,
        serverTimeMs: tradeFrames.serverTimeMs,
        onAdvance: () => cursors.advance(),
      })
      const recent = new RecentEvents(maxIdBytes)
      const cursors = new CursorStore({
        store: options.persist ? store : undefined,
        clock,
        keys: identity && tradeCursorKeys(identity, consumer, subscribeType, accounts),
        from: 'cursor',
        handledUntil: () => completeness.handledUntil,
        identities: () => recent.identities(),
        onRetry: (eventType) =>
          output.notify({ type: 'notice', kind: 'cursor-write-failed', atMs: clock.now(), eventType }),
        onConflict: fail,
      })
      const pipeline = new TradePipeline({ output, ids, decoder, decoders, completeness, random })
      const progress = new TradeProgress({ name, cursors, completeness, recent, pipeline })
      return { handler: pipeline, completeness, progress }
    },
    request: (nowMs) => tradeRequest({ accounts: [...accounts], contentType, payload, subscribeType }, nowMs),
  })
}

function readTradeOptions(name: 'trade' | 'position', input: TradeStreamOptions) {
  const options = readOptions(optionInvalid, input, TRADE_OPTIONS)
  const { subscribeType = name === 'trade' ? 1 : 2 } = options
  if (subscribeType > 2 && !options.allowOtherSubscribeTypes)
    throw optionInvalid(
      'subscribeType',
      '1 or 2, or another number with allowOtherSubscribeTypes: true',
      String(subscribeType),
    )
  return { ...options, subscribeType }
}

/** `timestamp` is always sent, as the service's public clients do (facts, Streams). */
export function tradeRequest(
  input: MessageInitShape<typeof TradeSubscribeRequestSchema>,
  nowMs: number,
): TradeSubscribeRequest {
  return create(TradeSubscribeRequestSchema, { ...input, timestamp: BigInt(Math.trunc(nowMs)) })
}
