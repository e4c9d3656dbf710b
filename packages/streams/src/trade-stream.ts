/**
 * Trade, position and account streams: three kinds of subscriptions to the trade service. Names with `Trade` belong to all three.
 *
 * The service has no cursors, so events of a gap may be lost, and every gap is reported with its bounds.
 */
import type { StateItem } from '@brokerwire/core'
import {
  array,
  boolean,
  type FieldsOf,
  integer,
  optional,
  port,
  readOptions,
  type Schema,
  signal,
  string,
  typeName,
} from '@brokerwire/core/internal'
import {
  TradeEventService,
  type TradeSubscribeRequest,
  TradeSubscribeRequestSchema,
} from '@brokerwire/protos'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { CompletenessTracker } from './completeness/completeness-tracker.ts'
import { RecentEvents } from './completeness/event-identity.ts'
import type { BackfillHook, SharedContext, TradeStreamBackfill } from './context.ts'
import { ProgressStore } from './delivery/progress-store.ts'
import { tradeRecordKeys } from './delivery/record-keys.ts'
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
  /** Identifiers of the accounts to subscribe to; at least one. */
  readonly accounts: readonly string[]
  /**
   * The kind of events: 1 orders, 2 positions. Other numbers require `allowOtherSubscribeTypes`.
   * @defaultValue 1 for trade events, 2 for position events
   */
  readonly subscribeType?: number | undefined
  /**
   * Allows any `subscribeType`: public clients also send sums (1 orders, 2 positions, 4 options), which are not in the
   * specification. @defaultValue false
   */
  readonly allowOtherSubscribeTypes?: boolean | undefined
  /** Field `contentType` of the request. @defaultValue '' */
  readonly contentType?: string | undefined
  /** Field `payload` of the request. @defaultValue '' */
  readonly payload?: string | undefined
  /** Name that distinguishes consumers of the same accounts with the same store and `identity`. @defaultValue 'default' */
  readonly consumer?: string | undefined
  /**
   * Whether the stream stores which events were handled, if `createStreams()` has a `store`.
   * @defaultValue true
   */
  readonly persist?: boolean | undefined
  /**
   * Name of the stream in reports to the observer. If reports become metrics, name each stream, because the default names of streams
   * that you create again and again never repeat. @defaultValue `trade-1`, `trade-2` and so on, in the order of creation
   */
  readonly streamId?: string | undefined
  /** Called after each SubscribeSuccess and on a timer, to find missed events. @defaultValue not called */
  readonly backfill?: BackfillHook | undefined
  /** Ends the stream when it aborts. `next()` then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

/** Options of `accountEvents`. */
export interface AccountStreamOptions
  extends Omit<TradeStreamOptions, 'subscribeType' | 'allowOtherSubscribeTypes'> {
  /**
   * The kinds of events: 1 orders, 2 positions, 4 options, or a sum of these. There is no default, because the sources differ:
   * the specification has only 1 and 2, the official clients send 3 (Python) and 7 (Java).
   */
  readonly subscribeType: number
}

/**
 * The options of a stream with order events whose backfill adds states to the stream, such as `createOrderBackfill` of
 * `@brokerwire/orders` creates.
 */
export type WithStates<
  Options extends TradeStreamOptions | AccountStreamOptions,
  State extends StateItem,
> = Omit<Options, 'backfill'> & { readonly backfill: TradeStreamBackfill<State> }

/** The bit of `subscribeType` with which the service sends order events. */
const ORDERS = 1

const possiblyEmptyString: Schema<string> = (value = '', path, fail) => {
  if (typeof value === 'string') return value
  throw fail(path, 'a string', typeName(value))
}
/** A function, or a backfill of states. */
const backfill: Schema<BackfillHook | TradeStreamBackfill<StateItem> | undefined> = (value, path, fail) => {
  if (value === undefined) return undefined
  if (typeof value === 'function') return value as BackfillHook
  return port<TradeStreamBackfill<StateItem>>(['onEvent', 'run'])(value, path, fail)
}
const subscribeType = integer({ min: 1, max: 0xff_ff_ff_ff })
const ACCOUNT_OPTIONS = {
  accounts: array(string(), { expected: 'a non-empty array of account identifiers' }),
  subscribeType,
  contentType: possiblyEmptyString,
  payload: possiblyEmptyString,
  consumer: optional(string()),
  persist: boolean(true),
  streamId: optional(string()),
  backfill,
  signal,
} satisfies FieldsOf<AccountStreamOptions>
const TRADE_OPTIONS = {
  ...ACCOUNT_OPTIONS,
  subscribeType: optional(subscribeType),
  allowOtherSubscribeTypes: boolean(false),
} satisfies FieldsOf<TradeStreamOptions>

/** An item of a trade, position or account stream. */
export type TradeStreamItem = TradeStreamEvent | UndecodableItem | StreamNotice

/** Creates a trade, position or account stream. @throws StreamsError `STREAM_OPTION_INVALID`. */
export function createTradeStream(
  context: SharedContext,
  target: ServiceTarget,
  name: TradeStreamName,
  input: TradeStreamOptions | WithStates<TradeStreamOptions, StateItem>,
  decoders: TradeDecoders,
): EventStream<TradeStreamItem> {
  const options =
    name === 'account' ? readOptions(optionInvalid, input, ACCOUNT_OPTIONS) : parseTradeOptions(name, input)
  const { accounts, contentType, payload, subscribeType, consumer = 'default' } = options
  const states = typeof options.backfill === 'object' ? options.backfill : undefined
  if (states !== undefined && (subscribeType & ORDERS) === 0)
    throw optionInvalid('backfill', 'a function, because the stream has no order events', 'an object')
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
    createPipeline({ output, ids, fail }) {
      const isIdle = (): boolean => output.queue.pushed === progress.handledItems
      const completeness = new CompletenessTracker({
        isIdle,
        serverTimeMs: tradeFrames.serverTimeMs,
        onAdvance: () => records.advance(),
      })
      const recent = new RecentEvents(maxIdBytes)
      const records = new ProgressStore({
        store: options.persist ? store : undefined,
        clock,
        keys: identity && tradeRecordKeys(identity, consumer, subscribeType, accounts),
        from: 'cursor',
        handledUntil: () => completeness.takeHandledUntil(),
        identities: () => recent.identities(),
        onRetry: (eventType) =>
          output.notify({ type: 'notice', kind: 'cursor-write-failed', atMs: clock.now(), eventType }),
        onConflict: fail,
      })
      const onEvent = states && ((event: TradeStreamEvent) => states.onEvent(event))
      const pipeline = new TradePipeline({ output, ids, decoder, decoders, completeness, random, onEvent })
      const progress = new TradeProgress({ name, records, completeness, recent, pipeline })
      return { handler: pipeline, completeness, progress, lastGap: () => pipeline.lastGap }
    },
    request: (nowMs) => tradeRequest({ accounts: [...accounts], contentType, payload, subscribeType }, nowMs),
  })
}

function parseTradeOptions(
  name: 'trade' | 'position',
  input: TradeStreamOptions | WithStates<TradeStreamOptions, StateItem>,
) {
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

/** Creates the request. `timestamp` is always sent, as by the service's public clients (docs/facts.md, Streams). */
export function tradeRequest(
  input: MessageInitShape<typeof TradeSubscribeRequestSchema>,
  nowMs: number,
): TradeSubscribeRequest {
  return create(TradeSubscribeRequestSchema, { ...input, timestamp: BigInt(Math.trunc(nowMs)) })
}
