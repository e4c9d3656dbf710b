/**
 * First in, first out, without moving what is queued.
 *
 * In segments, each an array of its own: what is written into an array that is old is work for the collector.
 */

const SEGMENT = 64

interface Segment<T> {
  readonly items: (T | undefined)[]
  next: Segment<T> | undefined
}

export class Fifo<T> {
  #first: Segment<T> = { items: [], next: undefined }
  #last = this.#first
  /** Where the oldest one is in the first segment, and where the next one goes in the last. */
  #head = 0
  #tail = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  push(item: T): void {
    if (this.#tail === SEGMENT) {
      this.#last.next = { items: [], next: undefined }
      this.#last = this.#last.next
      this.#tail = 0
    }
    this.#last.items[this.#tail] = item
    this.#tail += 1
    this.#size += 1
  }

  /** The oldest one, which stays. */
  peek(): T | undefined {
    return this.#size === 0 ? undefined : this.#front()[this.#head]
  }

  /** Takes the oldest one out. */
  take(): T | undefined {
    if (this.#size === 0) return undefined
    const items = this.#front()
    const item = items[this.#head]
    // Lets go of the item at once: it may be megabytes.
    items[this.#head] = undefined
    this.#head += 1
    this.#size -= 1
    return item
  }

  /** Takes the oldest ones out, so many at most. */
  takeMany(max: number): T[] {
    const taken: T[] = []
    while (taken.length < max && this.#size > 0) {
      const items = this.#front()
      const end = Math.min(SEGMENT, this.#head + Math.min(max - taken.length, this.#size))
      for (let at = this.#head; at < end; at += 1) taken.push(items[at] as T)
      items.fill(undefined, this.#head, end)
      this.#size -= end - this.#head
      this.#head = end
    }
    return taken
  }

  clear(): void {
    this.#first = this.#last = { items: [], next: undefined }
    this.#head = this.#tail = this.#size = 0
  }

  /** The segment of the oldest one, of those that there are. */
  #front(): (T | undefined)[] {
    if (this.#head === SEGMENT) {
      const emptied = this.#first
      this.#first = emptied.next as Segment<T>
      // One that is old would keep all behind it until the collector's next long round.
      emptied.next = undefined
      this.#head = 0
    }
    return this.#first.items
  }
}
