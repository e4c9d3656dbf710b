/** What all streams of one `createStreams` share, with every option checked. */

import type { Clock, SecretInput, Store } from '@brokerwire/core'
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import type { ConsumerGroup } from '@brokerwire/core/internal'
import type { SubscriptionBudget } from './budget.ts'
import type { QueueBounds } from './delivery/item-queue.ts'
import type { StreamObserver } from './observer.ts'
import type { StreamConnection } from './subscription/connection.ts'
import type { StreamSigner } from './subscription/subscribe.ts'
import type { SupervisorPolicy } from './supervisor/policy.ts'

/** Called for every attempt; after an AuthError once more, to learn whether there is another token. */
export type AccessTokenHook = (request: {
  readonly signal: AbortSignal
  /** Whether the token of the last attempt was refused: do not answer from a cache. */
  readonly rejected: boolean
}) => SecretInput | undefined | Promise<SecretInput | undefined>

/** Called after an AuthError without a token: sets right the clock that the signer uses. */
export type ClockOffsetHook = (request: {
  /** The service's clock as its answer stated it, milliseconds since the Unix epoch. */
  readonly serverNowMs: number | undefined
  readonly signal: AbortSignal
}) => unknown

/**
 * Compares what the stream delivered with what the service knows.
 *
 * @returns How many events are missing. A hook that throws has found nothing.
 */
export type ReconcileHook = (request: {
  readonly cause: 'subscribed' | 'timer'
  readonly signal: AbortSignal
}) => number | undefined | Promise<number | undefined>

/** Where a service is reached. */
export interface ServiceTarget {
  /** `host:port`, where it is known. */
  readonly host: string | undefined
  open(): StreamConnection
}

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
