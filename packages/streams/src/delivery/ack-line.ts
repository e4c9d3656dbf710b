/**
 * The events of one event type between their receipt and their commit, by their numbers in the order received.
 *
 * Only the prefix without a hole may be committed: a cursor past an event that was not handled would lose it after
 * a restart. What was filtered out is handled already, and leaves its position to the event before it.
 */

export interface LineTally {
  size: number
  bytes: number
}

/** An event that waits, without its names: those are the item's own, who hands them over with its ack. */
const PLACE_BYTES = 64
/** The names of one that is handled behind a hole, with what they were cut from, and where they stand. */
const EARLY_BYTES = 256
/** A position that was skipped, beside its units. */
const SKIPPED_BYTES = 192

export class AckLine {
  readonly #tally: LineTally
  readonly #onPassed: (id: string, position: string) => void
  #received = 0
  #passed = 0
  /** Handled, behind an event that is not. */
  readonly #early = new Map<number, readonly [id: string, position: string]>()
  /** The newest position that was skipped behind an event that waits. */
  readonly #skipped = new Map<number, string>()
  /** The newest gap, until it was told or an event came behind it. */
  #gap: object | undefined
  /** The newest position that was skipped behind it. */
  #aside = ''

  /** @param onPassed - Called in order for each event before which there is no hole any more. */
  constructor(tally: LineTally, onPassed: (id: string, position: string) => void) {
    this.#tally = tally
    this.#onPassed = onPassed
  }

  get size(): number {
    return this.#received - this.#passed
  }

  /** Takes an event in. @returns Its number. */
  receive(id: string, position: string): number {
    this.#received += 1
    this.#tally.size += 1
    this.#tally.bytes += bytesOf(id, position)
    // It comes behind the gap, and whatever is skipped from here on behind it.
    this.#gap = undefined
    if (position === '') this.skip(this.#aside)
    this.#aside = ''
    return this.#received
  }

  /** Takes in the position of an event that nobody has to handle. */
  skip(position: string): void {
    if (position === '') return
    if (this.#gap !== undefined) this.#aside = position
    else if (this.size === 0) this.#onPassed('', position)
    else {
      this.#unskip(this.#received)
      this.#tally.bytes += SKIPPED_BYTES + 2 * position.length
      this.#skipped.set(this.#received, position)
    }
  }

  /** A gap is about to be told: what is skipped behind it is not committed before. */
  hold(gap: object): void {
    this.#gap = gap
    this.#aside = ''
  }

  /** A gap was told. Of several the newest one counts. */
  release(gap: object): void {
    if (gap !== this.#gap) return
    this.#gap = undefined
    this.skip(this.#aside)
    this.#aside = ''
  }

  /** Marks an event as handled, with what it was received with. @returns Whether it was not before. */
  ack(number: number, id: string, position: string): boolean {
    const early = this.#early
    if (number <= this.#passed || early.has(number)) return false
    if (number > this.#passed + 1) {
      early.set(number, [id, position])
      this.#tally.bytes += EARLY_BYTES
      return true
    }
    this.#pass(id, position)
    while (early.size > 0) {
      const next = early.get(this.#passed + 1)
      if (next === undefined) break
      early.delete(this.#passed + 1)
      this.#tally.bytes -= EARLY_BYTES
      this.#pass(...next)
    }
    return true
  }

  #pass(id: string, position: string): void {
    this.#passed += 1
    this.#tally.size -= 1
    this.#tally.bytes -= bytesOf(id, position)
    const skipped = this.#skipped.size === 0 ? undefined : this.#unskip(this.#passed)
    this.#onPassed(id, skipped ?? position)
  }

  /** Takes the position out that was skipped behind an event. */
  #unskip(number: number): string | undefined {
    const position = this.#skipped.get(number)
    if (position === undefined) return undefined
    this.#skipped.delete(number)
    this.#tally.bytes -= SKIPPED_BYTES + 2 * position.length
    return position
  }
}

function bytesOf(id: string, position: string): number {
  return PLACE_BYTES + 2 * (id.length + position.length)
}
