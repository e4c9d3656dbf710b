/** What the parts of a stream need of the options of `createStreams`, after they were checked. */

import type { Clock, Store, TokenProvider } from '@brokerwire/core'
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import type { ConsumerGroup } from '@brokerwire/core/internal'
import type { SubscriptionBudget } from './budget.ts'
import type { BufferBounds } from './delivery/item-queue.ts'
import type { StreamObserver } from './observer.ts'
import type { AccessTokenRequiredHook, ClockSkewHook } from './subscription/hooks.ts'
import type { StreamSigner } from './subscription/subscribe.ts'
import type { SupervisorPolicy } from './supervisor/policy.ts'

/**
 * Compares what the stream delivered with what the service knows.
 *
 * @returns How many events are missing. A hook that throws has found nothing.
 */
export type BackfillHook = (request: {
  readonly cause: 'subscribed' | 'timer'
  readonly signal: AbortSignal
}) => number | undefined | Promise<number | undefined>

/** What an attempt at a subscription needs. */
export interface AttemptContext {
  readonly signer: StreamSigner
  readonly clock: Clock
  readonly accessTokens: TokenProvider | undefined
  readonly accessTokenRequired: AccessTokenRequiredHook | undefined
  readonly onClockSkew: ClockSkewHook | undefined
}

/** What supervision needs. */
export interface SupervisionContext {
  readonly clock: Clock
  readonly random: () => number
  readonly policy: SupervisorPolicy
  readonly budget: SubscriptionBudget
}

/** What the output to the consumer and the observer needs. */
export interface OutputContext {
  readonly buffer: BufferBounds
  /** The longest id that is remembered, at two bytes a UTF-16 unit. */
  readonly maxIdBytes: number
  readonly observer: StreamObserver | undefined
}

/** Where cursors are kept. */
export interface PersistenceContext {
  readonly store: Store | undefined
  readonly identity: ServiceIdentity | undefined
}

/** What one supervised stream needs. */
export interface SupervisedStreamContext extends AttemptContext, SupervisionContext, OutputContext {
  /** Streams that have begun and are not over. */
  readonly openStreams: ConsumerGroup
}

/** What all streams of one `createStreams` share. */
export interface SharedContext extends SupervisedStreamContext, PersistenceContext {}
