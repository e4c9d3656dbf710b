/** First in, first out, without moving what is queued. */
export class Fifo<T> {
  /** From `#head` up to `#tail`; what else there is of it is room that was used before. */
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

  /** The oldest one, which stays. */
  peek(): T | undefined {
    return this.#items[this.#head]
  }

  /** Takes the oldest one out. */
  take(): T | undefined {
    const head = this.#head
    if (head === this.#tail) return undefined
    const item = this.#items[head]
    // Lets go of the item at once: it may be megabytes.
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
