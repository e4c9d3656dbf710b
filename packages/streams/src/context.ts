/** The validated options of `createStreams`, grouped by the parts of a stream that need them. */
import type { Clock, StateItem, Store, StreamBackfill, TokenProvider } from '@brokerwire/core'
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import type { StreamGroup } from '@brokerwire/core/internal'
import type { SubscriptionBudget } from './budget.ts'
import type { BufferBounds } from './delivery/item-queue.ts'
import type { TradeStreamEvent } from './items/trade-items.ts'
import type { StreamsObserver } from './observer.ts'
import type { AccessTokenRequiredHook, ClockSkewHook, HeadersHook } from './subscription/hooks.ts'
import type { StreamSigner } from './subscription/subscribe.ts'
import type { SupervisorPolicy } from './supervisor/policy.ts'

/**
 * Compares the delivered events with the service's data, for example with a list of orders.
 *
 * @returns The number of events that the stream did not deliver. An error counts as `undefined`.
 */
export type BackfillHook = (request: {
  /** `subscribed`: the stream became live. `timer`: the interval has passed. */
  readonly cause: 'subscribed' | 'timer'
  /** Aborts when the connection or the stream ends. */
  readonly signal: AbortSignal
}) => number | undefined | Promise<number | undefined>

/** A backfill of a stream with order events, such as `createOrderBackfill` of `@brokerwire/orders` creates. */
export type TradeStreamBackfill<State extends StateItem> = StreamBackfill<TradeStreamEvent, State>

/** Options for an attempt to subscribe. */
export interface AttemptContext {
  readonly signer: StreamSigner
  readonly clock: Clock
  readonly accessTokens: TokenProvider | undefined
  readonly accessTokenRequired: AccessTokenRequiredHook | undefined
  readonly onClockSkew: ClockSkewHook | undefined
  readonly headers: HeadersHook | undefined
}

/** Options for the supervisor. */
export interface SupervisionContext {
  readonly clock: Clock
  readonly random: () => number
  readonly policy: SupervisorPolicy
  readonly budget: SubscriptionBudget
}

/** Options for the output to the consumer and the observer. */
export interface OutputContext {
  readonly buffer: BufferBounds
  /** Length of the longest id that is stored, in bytes. Each UTF-16 unit counts two bytes. */
  readonly maxIdBytes: number
  readonly observer: StreamsObserver
}

/** Options for stored cursors. */
export interface PersistenceContext {
  readonly store: Store | undefined
  readonly identity: ServiceIdentity | undefined
}

/** Options for one supervised stream. */
export interface SupervisedStreamContext extends AttemptContext, SupervisionContext, OutputContext {
  /** The streams that have started and have not ended. */
  readonly openStreams: StreamGroup
}

/** The options that all streams of one `createStreams()` share. */
export interface SharedContext extends SupervisedStreamContext, PersistenceContext {}
