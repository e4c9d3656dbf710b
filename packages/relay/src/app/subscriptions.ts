/**
 * Opens, reads and closes the subscriptions of an app. The state machine of `connection-slots.ts` decides when.
 */
import type { AbortSignalLike, Clock } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'
import { type BatchStream, type ItemBatch, isStreamsError } from '@brokerwire/streams'
import type { Subscription } from '../wire/subjects.ts'
import type { Item } from './batch-entries.ts'
import {
  initialSlots,
  type SlotsEffect,
  type SlotsEvent,
  slotsTransition,
  subscriptionsWithoutConnection,
  usedConnections,
} from './connection-slots.ts'
import type { GapTracker } from './gap-tracker.ts'
import type { Publisher } from './publisher.ts'
import type { AppTimers } from './timers.ts'

/** Subscriptions that wait until the service no longer counts connections that have ended. */
export interface ConnectionWait {
  readonly subscriptions: readonly Subscription[]
  /** The number of connections that have ended and that the service may still count. */
  readonly lingering: number
  /** The time until all of these subscriptions are opened, milliseconds. */
  readonly waitMs: number
}

export interface SubscriptionsOptions {
  /** The subscriptions in the order in which they are opened. */
  readonly order: readonly Subscription[]
  readonly maxConnections: number
  /** How long the service counts a connection that has ended. */
  readonly slotLingerMs: number
  readonly clock: Clock
  readonly timers: AppTimers
  readonly gaps: GapTracker
  readonly publisher: Publisher
  /** Aborts when the relay of the app has ended. */
  readonly signal: AbortSignalLike
  readonly open: (subscription: Subscription) => BatchStream<Item>
  /** Called before a subscription that ended is opened again. */
  readonly onReopen: (subscription: Subscription) => void
  readonly onBatch: (subscription: Subscription, batch: ItemBatch<Item>) => void
  readonly onState: (
    subscription: Subscription,
    state: 'opening' | 'closed' | 'failed',
    error?: unknown,
  ) => void
  /** @param connections - The number of connections that have ended and that the service may still count. */
  readonly onLingering: (connections: number) => void
  /** Called when subscriptions begin to wait, because the service may still count connections that have ended. */
  readonly onConnectionWait: (wait: ConnectionWait) => void
  /** Called when all subscriptions are closed. */
  readonly onReleased: (lingering: number) => void
  readonly onError: (error: unknown) => void
}

/**
 * Added to `slotLingerMs`, because the service notices the end of a connection later than this relay, and
 * counts from then.
 */
const SLOT_MARGIN_MS = 1000
const REOPEN_MS = 1000
/**
 * The delay before a retry if the service allows one trade subscription for each app, and another one of this
 * app is open.
 */
const CONFLICT_REOPEN_MS = 300_000
/**
 * How long the end waits for a store that does not respond. The positions of module events are also in the
 * stream.
 */
const CLOSE_MS = 3000
/**
 * Time limit for messages in flight when module events are closed. Messages that need longer are stored, but
 * their cursor is not committed.
 */
const COMMIT_MS = 500

interface Running {
  readonly close: () => Promise<unknown>
  /** Whether the subscription is being closed on purpose. */
  isClosing: boolean
  /** Whether reading has stopped. Module events that arrive after that are sent again by the service. */
  isStopped: boolean
}

export class Subscriptions {
  readonly #options: SubscriptionsOptions
  readonly #running = new Map<Subscription, Running>()
  #slots
  /** When each lingering connection expires, in order. */
  #expiresAtMs: readonly number[] = []

  constructor(options: SubscriptionsOptions) {
    this.#options = options
    this.#slots = initialSlots(options.order, options.maxConnections)
  }

  /** The number of connections that the service may count. */
  get usedConnections(): number {
    return usedConnections(this.#slots)
  }

  /** The wait for lingering connections; `undefined` if no subscription waits for one. */
  get connectionWait(): ConnectionWait | undefined {
    const { lingering, maxConnections } = this.#slots
    const excess = usedConnections(this.#slots) - maxConnections
    const subscriptions = this.withoutConnection.slice(0, lingering - excess)
    const atMs = this.#expiresAtMs[excess + subscriptions.length - 1]
    if (subscriptions.length === 0 || atMs === undefined) return undefined
    return { subscriptions, lingering, waitMs: Math.max(0, atMs - this.#options.clock.now()) }
  }

  /** The subscriptions for which all connections are in use, also if none of these lingers. */
  get withoutConnection(): readonly Subscription[] {
    return subscriptionsWithoutConnection(this.#slots)
  }

  get isReleased(): boolean {
    return this.#slots.phase === 'released'
  }

  /** Passes an event to the state machine, and runs its effects. */
  dispatch(event: SlotsEvent): void {
    const before = this.#slots.lingering
    const wasWaiting = this.withoutConnection.length > 0
    const [next, effects] = slotsTransition(this.#slots, event)
    this.#slots = next
    if (next.lingering !== before) this.#options.onLingering(next.lingering)
    for (const effect of effects) this.#runEffect(effect)
    const wait = wasWaiting ? undefined : this.connectionWait
    if (wait !== undefined) this.#options.onConnectionWait(wait)
  }

  #runEffect(effect: SlotsEffect): void {
    const { clock, timers, slotLingerMs, onState, onReleased } = this.#options
    switch (effect.type) {
      case 'open':
        onState(effect.subscription, 'opening')
        void this.#run(effect.subscription)
        return
      case 'close':
        void this.#close(effect.subscription)
        return
      case 'start-timer': {
        const delayMs = slotLingerMs === 0 ? 0 : slotLingerMs + SLOT_MARGIN_MS
        this.#expiresAtMs = [...this.#expiresAtMs, clock.now() + delayMs]
        timers.after(delayMs, () => {
          this.#expiresAtMs = this.#expiresAtMs.slice(1)
          this.dispatch({ type: 'slot-expired' })
        })
        return
      }
      case 'released':
        onReleased(effect.lingering)
    }
  }

  /** Reads a subscription until it is closed, and opens it again if it ended with a transient error. */
  async #run(subscription: Subscription): Promise<void> {
    const { clock, signal, gaps, open, onReopen, onState, onError } = this.#options
    for (;;) {
      let running: Running | undefined
      let failure: unknown
      try {
        const batches = open(subscription)
        running = { close: () => batches.return(), isClosing: false, isStopped: false }
        this.#running.set(subscription, running)
        gaps.opened(subscription)
        await this.#read(subscription, running, batches)
        if (running.isClosing || signal.aborted) return
      } catch (error) {
        if (running?.isClosing || signal.aborted) return
        failure = error
        if (!isReopenable(error)) {
          onError(error)
          return
        }
      }
      if (running !== undefined) gaps.ended(subscription, clock.now())
      onState(subscription, 'failed', failure)
      this.dispatch({ type: 'dropped', subscription })
      const isConflict = isStreamsError(failure, 'STREAM_SUBSCRIPTION_CONFLICT')
      await sleep(clock, isConflict ? CONFLICT_REOPEN_MS : REOPEN_MS, signal).catch(() => {})
      if (signal.aborted || running?.isClosing) return
      onState(subscription, 'opening')
      onReopen(subscription)
    }
  }

  async #read(subscription: Subscription, running: Running, batches: BatchStream<Item>): Promise<void> {
    const { gaps, publisher, onBatch } = this.#options
    for (;;) {
      await publisher.ready()
      if (running.isStopped) return
      gaps.setIdle(subscription, true)
      const next = await batches.next()
      gaps.setIdle(subscription, false)
      if (next.done === true || running.isStopped) return
      onBatch(subscription, next.value)
    }
  }

  /**
   * Closes a subscription after its received events are published. Module events are committed if they are
   * stored within `COMMIT_MS`.
   */
  async #close(subscription: Subscription): Promise<void> {
    const { clock, timers, gaps, publisher, onState, onError } = this.#options
    const running = this.#running.get(subscription)
    if (running !== undefined) {
      running.isClosing = true
      // Let the reader take items that have arrived. Until it has taken them, the subscription seems idle.
      await new Promise<void>((resolve) => setImmediate(resolve))
      gaps.closing(subscription, clock.now())
      if (subscription === 'module') {
        running.isStopped = true
        await timers.waitAtMost(COMMIT_MS, () => publisher.published)
      }
      await timers.waitAtMost(CLOSE_MS, running.close)
    }
    this.#running.delete(subscription)
    try {
      await publisher.published
    } catch (error) {
      onError(error)
      return
    }
    onState(subscription, 'closed')
    this.dispatch({ type: 'closed', subscription })
  }
}

/** Whether the subscription is opened again after the error. Otherwise the app fails. */
function isReopenable(error: unknown): boolean {
  if (!isStreamsError(error)) return false
  return (
    error.retryable ||
    error.code === 'STREAM_CURSOR_CONFLICT' ||
    error.code === 'STREAM_SUBSCRIPTION_CONFLICT'
  )
}
