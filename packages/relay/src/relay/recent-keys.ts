/** Keys of what a relay has published itself, as far as a subscription that is opened anew may bring it once more. */

/** So many, of this relay's own and of the end of a stream that it takes over: what comes once more is recognized among them. */
export const MAX_RECENT = 2000

/** The last keys, and of each event type the last one, however long ago: a service may send again what stands at the cursor. */
export class RecentKeys {
  readonly #last: string[] = []
  #next = 0
  readonly #ofEventType = new Map<string, string>()

  /** @param eventType - Of a module event. */
  add(key: string, eventType: string | undefined): void {
    this.#last[this.#next] = key
    this.#next = (this.#next + 1) % MAX_RECENT
    if (eventType !== undefined) this.#ofEventType.set(eventType, key)
  }

  all(): readonly string[] {
    return [...this.#last, ...this.#ofEventType.values()]
  }
}
