/** What a relay knows of the events that are in its stream, as far as the service may bring them once more. */
import type { Subscription } from '../wire/subjects.ts'

/** So many, of this relay's own and of the end of a stream that it takes over: what comes once more is recognized among them. */
export const MAX_RECENT = 2000

/** The last keys, and of each event type the last one, however long ago: a service may send again what stands at the cursor. */
export class RecentKeys {
  readonly #last: string[] = []
  #next = 0
  readonly #lastByEventType = new Map<string, string>()

  /** @param eventType - Of a module event that has a cursor: as many as were asked for. */
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
 * Keys of events that may come once more. The service sends them right at the beginning of a subscription, so they are not kept
 * for ever; but as long as one that was opened has not begun, they are.
 */
export class DuplicateFilter {
  #keys: ReadonlySet<string> = new Set()
  /** Subscriptions that have not begun. */
  readonly #opening: Set<Subscription>
  /** Since all of them had. */
  #published = 0

  constructor(subscriptions: readonly Subscription[]) {
    this.#opening = new Set(subscriptions)
  }

  has(key: string): boolean {
    return this.#keys.has(key)
  }

  /** Before a subscription is opened. @param keys - All that are to be known. */
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
