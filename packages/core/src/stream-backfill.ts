/**
 * The port between a stream and a backfill that adds states to it. `createOrderBackfill` of
 * `@brokerwire/orders` implements it for order events of `@brokerwire/streams`.
 */
import type { AbortSignalLike } from './structural.ts'

/** A state that a backfill adds to a stream. It is not an event: changes between two states are not known. */
export interface StateItem {
  /** Distinguishes states from events and notices. */
  readonly type: 'state'
  /** Kind of the state, such as `order-state`. */
  readonly kind: string
}

/** Bounds of a gap, in milliseconds since the Unix epoch. */
export interface BackfillGap {
  /** Start by the service's clock. */
  readonly fromMs: number
  /** End by the service's clock. */
  readonly toMs: number
}

/** Something that a backfill could not cover. */
export interface BackfillProblem {
  /** Reason: a code of the backfill, or of the error of a query. */
  readonly code: string
  /** Account that was not covered. */
  readonly accountId: string
  /** Name of the operation, such as `orders.history`. `undefined` if no single operation is the reason. */
  readonly operation: string | undefined
}

/** The result of a backfill. */
export interface BackfillResult {
  /** Number of delivered states that a live stream should have reported in events. */
  readonly missing: number
  /** The parts that could not be covered. An empty array means that everything was. */
  readonly problems: readonly BackfillProblem[]
}

/** One run of a backfill, as the stream requests it. */
export interface BackfillRun<State extends StateItem> {
  /** `subscribed`: the stream became live. `timer`: the interval has passed. */
  readonly cause: 'subscribed' | 'timer'
  /** Accounts of the stream. */
  readonly accounts: readonly string[]
  /** The gap before the subscription. `undefined` if the cause is `timer`. */
  readonly gap: BackfillGap | undefined
  /**
   * The service's clock minus this host's clock, by the last message that the stream received with a timestamp.
   * `undefined` if it is not known.
   */
  readonly clockOffsetMs: number | undefined
  /**
   * The instant before which the stream has received everything, by the service's clock, in milliseconds since
   * the Unix epoch. `undefined` if it is not known.
   */
  readonly receivedUntilMs: number | undefined
  /** Aborts when the connection or the stream ends. */
  readonly signal: AbortSignalLike
  /**
   * Resolves when the consumer's queue has capacity. A backfill awaits it before each request and before each
   * `deliver()`.
   *
   * @throws The signal's reason.
   */
  ready(): Promise<void>
  /** Adds a state to the stream, after everything that was received so far. */
  deliver(state: State): void
}

/** A backfill of one stream. */
export interface StreamBackfill<Event, State extends StateItem> {
  /** Time between two runs while the stream is live, in milliseconds. `undefined`: no runs by a timer. */
  readonly intervalMs: number | undefined
  /** Called with each event that the stream delivers, in order. */
  onEvent(event: Event): void
  /** Compares the delivered events with the service's data, and delivers the differences. */
  run(run: BackfillRun<State>): Promise<BackfillResult>
}
