/** First in, first out, without moving what is queued: a ring, which grows as it is used and is given back once it is empty. */

/** Powers of two: the shortest ring, and the longest that is kept while nothing is queued. */
const FIRST_PLACES = 16
const KEPT_PLACES = 1024

export class Fifo<T> {
  #items = places<T>(FIRST_PLACES)
  #oldest = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  push(item: T): void {
    if (this.#size === this.#items.length) this.#grow()
    this.#items[(this.#oldest + this.#size) & (this.#items.length - 1)] = item
    this.#size += 1
  }

  /** Puts another in the place of the newest one, which there is. @returns That one. */
  replaceNewest(item: T): T {
    const place = (this.#oldest + this.#size - 1) & (this.#items.length - 1)
    const newest = this.#items[place] as T
    this.#items[place] = item
    return newest
  }

  /** The oldest one, which stays. */
  peek(): T | undefined {
    return this.#items[this.#oldest]
  }

  /** Takes the oldest one out. */
  take(): T | undefined {
    if (this.#size === 0) return undefined
    const item = this.#items[this.#oldest]
    // Lets go of the item at once: it may be megabytes.
    this.#items[this.#oldest] = undefined
    this.#oldest = (this.#oldest + 1) & (this.#items.length - 1)
    this.#size -= 1
    if (this.#size === 0 && this.#items.length > KEPT_PLACES) this.clear()
    return item
  }

  clear(): void {
    this.#items = places(FIRST_PLACES)
    this.#oldest = 0
    this.#size = 0
  }

  #grow(): void {
    const items = this.#items
    this.#items = places(2 * items.length)
    for (let n = 0; n < this.#size; n += 1) this.#items[n] = items[(this.#oldest + n) & (items.length - 1)]
    this.#oldest = 0
  }
}

function places<T>(count: number): (T | undefined)[] {
  return new Array<T | undefined>(count).fill(undefined)
}
