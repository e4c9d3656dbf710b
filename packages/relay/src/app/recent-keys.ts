/** Keys of the events that the stream already has, for the filter of duplicates. */
import type { Subscription } from '../wire/subjects.ts'

/**
 * The maximum number of keys that are kept of this relay's messages. The same number is read from the end of
 * a stream.
 */
export const MAX_RECENT = 2000

/**
 * Keeps the last keys, and the last key of each event type, because the service may send the event at a
 * cursor again.
 */
export class RecentKeys {
  readonly #last: string[] = []
  #next = 0
  readonly #lastByEventType = new Map<string, string>()

  /**
   * @param eventType - The type of a module event with a cursor. The selection bounds the number of types.
   */
  add(key: string, eventType: string | undefined): void {
    this.#last[this.#next] = key
    this.#next = (this.#next + 1) % MAX_RECENT
    if (eventType !== undefined) this.#lastByEventType.set(eventType, key)
  }

  values(): readonly string[] {
    return [...this.#last, ...this.#lastByEventType.values()]
  }
}

/**
 * Recognizes events that the service sends again. The service does so at the start of a subscription, so the
 * keys are discarded some time after all subscriptions have started.
 */
export class DuplicateFilter {
  #keys: ReadonlySet<string> = new Set()
  /** Subscriptions that have not started yet. */
  readonly #opening: Set<Subscription>
  /** The number of messages published after the start of all subscriptions. */
  #published = 0

  constructor(subscriptions: readonly Subscription[]) {
    this.#opening = new Set(subscriptions)
  }

  has(key: string): boolean {
    return this.#keys.has(key)
  }

  /** Replaces the keys. @param opening - A subscription that is opened next. */
  reset(keys: Iterable<string>, opening?: Subscription): void {
    this.#keys = new Set(keys)
    this.#published = 0
    if (opening !== undefined) this.#opening.add(opening)
  }

  subscribed(subscription: Subscription): void {
    this.#opening.delete(subscription)
  }

  advance(count: number): void {
    if (this.#keys.size === 0 || this.#opening.size > 0) return
    this.#published += count
    if (this.#published > 50 * this.#keys.size + 10_000) this.#keys = new Set()
  }
}
