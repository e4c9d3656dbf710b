/** First in, first out, without moving what is queued. */
export class Fifo<T> {
  readonly #items: (T | undefined)[] = []
  #head = 0

  get size(): number {
    return this.#items.length - this.#head
  }

  push(item: T): void {
    this.#items.push(item)
  }

  peek(): T | undefined {
    return this.#items[this.#head]
  }

  take(): T | undefined {
    const item = this.#items[this.#head]
    if (item === undefined) return undefined
    // Lets go of the item at once: its payload may be large.
    this.#items[this.#head] = undefined
    this.#head += 1
    if (this.#head === this.#items.length) this.clear()
    else if (this.#head >= 1024 && this.#head * 2 >= this.#items.length) {
      this.#items.splice(0, this.#head)
      this.#head = 0
    }
    return item
  }

  clear(): void {
    this.#items.length = 0
    this.#head = 0
  }
}
