/**
 * A first-in, first-out queue. `shift()` does not move the other items, except from time to time to free
 * memory.
 */
export class Queue<T> {
  /** The queued items are from `#head`, inclusive, to `#tail`, exclusive. The other entries are empty. */
  readonly #items: (T | undefined)[] = []
  #head = 0
  #tail = 0

  get size(): number {
    return this.#tail - this.#head
  }

  push(item: T): void {
    this.#items[this.#tail] = item
    this.#tail += 1
  }

  /** Returns the oldest item without removing it. */
  peek(): T | undefined {
    return this.#items[this.#head]
  }

  /** Removes and returns the oldest item. */
  shift(): T | undefined {
    const head = this.#head
    if (head === this.#tail) return undefined
    const item = this.#items[head]
    // Frees the item for garbage collection, because it may be several megabytes.
    this.#items[head] = undefined
    this.#head = head + 1
    if (this.#head === this.#tail) {
      this.#head = 0
      this.#tail = 0
    } else if (this.#head >= 1024 && this.#head * 2 >= this.#tail) {
      this.#items.splice(0, this.#head)
      this.#tail -= this.#head
      this.#head = 0
    }
    return item
  }

  clear(): void {
    this.#items.length = 0
    this.#head = 0
    this.#tail = 0
  }
}
