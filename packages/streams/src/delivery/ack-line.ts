/**
 * The events of one event type between their receipt and their commit, in the order received.
 *
 * Only the prefix without a hole may be committed: a cursor past an event that was not handled would lose it after
 * a restart. What was filtered out is handled already and leaves nothing but its position.
 */

export interface LineTally {
  size: number
  bytes: number
}

/** An event's places, without its names. */
const PLACE_BYTES = 64

export class AckLine {
  readonly #tally: LineTally
  readonly #onPassed: (id: string, position: string) => void
  // From `#head` up to `#tail`; what else there is of them is room that was used before.
  readonly #ids: string[] = []
  readonly #positions: string[] = []
  readonly #acked: boolean[] = []
  #head = 0
  #tail = 0
  /** The ticket of the event at 0. */
  #first = 0

  /** @param onPassed - Called in order for each event before which there is no hole any more. */
  constructor(tally: LineTally, onPassed: (id: string, position: string) => void) {
    this.#tally = tally
    this.#onPassed = onPassed
  }

  get size(): number {
    return this.#tail - this.#head
  }

  /** Takes an event in. @returns Its ticket. */
  receive(id: string, position: string): number {
    const at = this.#tail
    this.#ids[at] = id
    this.#positions[at] = position
    this.#acked[at] = false
    this.#tail = at + 1
    this.#tally.size += 1
    this.#tally.bytes += bytesOf(id, position)
    return this.#first + at
  }

  /** Takes in the position of an event that nobody has to handle. */
  skip(position: string): void {
    if (position === '') return
    const last = this.#tail - 1
    if (last < this.#head) this.#onPassed('', position)
    else if (this.#acked[last] === true && this.#ids[last] === '') {
      this.#tally.bytes += 2 * (position.length - (this.#positions[last] as string).length)
      this.#positions[last] = position
    } else this.#acked[this.receive('', position) - this.#first] = true
  }

  /** Marks an event as handled. @returns Whether it was not before. */
  ack(ticket: number): boolean {
    const at = ticket - this.#first
    if (at < this.#head || at >= this.#tail || this.#acked[at] === true) return false
    this.#acked[at] = true
    if (at === this.#head) this.#pass()
    return true
  }

  #pass(): void {
    while (this.#head < this.#tail && this.#acked[this.#head] === true) {
      const head = this.#head
      const id = this.#ids[head] as string
      const position = this.#positions[head] as string
      // Lets go of the names at once.
      this.#ids[head] = ''
      this.#positions[head] = ''
      this.#head = head + 1
      this.#tally.size -= 1
      this.#tally.bytes -= bytesOf(id, position)
      this.#onPassed(id, position)
    }
    if (this.#head < this.#tail) {
      if (this.#head < 1024 || this.#head * 2 < this.#tail) return
      for (const list of [this.#ids, this.#positions, this.#acked]) list.splice(0, this.#head)
    }
    this.#first += this.#head
    this.#tail -= this.#head
    this.#head = 0
  }
}

function bytesOf(id: string, position: string): number {
  return PLACE_BYTES + 2 * (id.length + position.length)
}
