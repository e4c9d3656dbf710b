/** What all streams of one `createStreams` share, with every option checked. */

import type { Clock, Store } from '@brokerwire/core'
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import type { ConsumerGroup } from '@brokerwire/core/internal'
import type { SubscriptionBudget } from './budget.ts'
import type { QueueBounds } from './delivery/item-queue.ts'
import type { StreamObserver } from './observer.ts'
import type { ServiceTarget } from './subscription/connection.ts'
import type { AccessTokenHook, ClockOffsetHook } from './subscription/hooks.ts'
import type { StreamSigner } from './subscription/subscribe.ts'
import type { SupervisorPolicy } from './supervisor/policy.ts'

/**
 * Compares what the stream delivered with what the service knows.
 *
 * @returns How many events are missing. A hook that throws has found nothing.
 */
export type ReconcileHook = (request: {
  readonly cause: 'subscribed' | 'timer'
  readonly signal: AbortSignal
}) => number | undefined | Promise<number | undefined>

export interface StreamsContext {
  readonly trade: ServiceTarget | undefined
  readonly module: ServiceTarget | undefined
  readonly signer: StreamSigner
  readonly clock: Clock
  readonly random: () => number
  readonly policy: SupervisorPolicy
  readonly queue: QueueBounds
  /** The longest name that is remembered, at two bytes a UTF-16 unit. */
  readonly maxNameBytes: number
  readonly budget: SubscriptionBudget
  /** Those that were begun and are not over. */
  readonly openStreams: ConsumerGroup
  readonly observer: StreamObserver | undefined
  readonly accessToken: AccessTokenHook | undefined
  readonly learnClockOffset: ClockOffsetHook | undefined
  readonly store: Store | undefined
  readonly identity: ServiceIdentity | undefined
}
