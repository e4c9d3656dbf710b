/**
 * The events of one event type between their receipt and their commit, by their numbers in the order received.
 *
 * Only the prefix without a hole may be committed: a cursor past an event that was not handled would lose it after
 * a restart. What was filtered out is handled already, and leaves its position to the event before it.
 */
import { Fifo } from '@brokerwire/core'

export interface LineTally {
  size: number
  bytes: number
}

/** An event that waits, without its names. */
const PLACE_BYTES = 64

export class AckLine {
  readonly #tally: LineTally
  readonly #onPassed: (id: string, position: string) => void
  // Apart, and no objects: what waits has left the processor's cache by the time it is handled.
  readonly #ids = new Fifo<string>()
  /** All but the newest one. */
  readonly #positions = new Fifo<string>()
  #newest = ''
  /** The newest gap, until it was told or an event came behind it. */
  #gap: object | undefined
  /** The newest position that was skipped behind it. */
  #aside = ''
  /** Handled, behind an event that is not. */
  readonly #early = new Set<number>()
  #passed = 0
  #inTurn = 0

  /** @param onPassed - Called in order for each event before which there is no hole any more. */
  constructor(tally: LineTally, onPassed: (id: string, position: string) => void) {
    this.#tally = tally
    this.#onPassed = onPassed
  }

  get size(): number {
    return this.#ids.size
  }

  /** Takes an event in. @returns Its number. */
  receive(id: string, position: string): number {
    if (this.size > 0) this.#positions.push(this.#newest)
    this.#ids.push(id)
    this.#newest = position === '' ? this.#aside : position
    // It comes behind the gap, and whatever is skipped from here on behind it.
    this.#gap = undefined
    this.#aside = ''
    this.#tally.size += 1
    this.#tally.bytes += bytesOf(id, this.#newest)
    return this.#passed + this.size
  }

  /** Takes in the position of an event that nobody has to handle. */
  skip(position: string): void {
    if (position === '') return
    if (this.#gap !== undefined) {
      this.#aside = position
      return
    }
    if (this.size === 0) this.#onPassed('', position)
    else this.#tally.bytes += 2 * (position.length - this.#newest.length)
    this.#newest = position
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

  /** Marks an event as handled. @returns Whether it was not before. */
  ack(number: number): boolean {
    if (number <= this.#passed || this.#early.has(number)) return false
    if (number > this.#passed + 1) this.#early.add(number)
    else {
      do this.#pass()
      while (this.#early.size > 0 && this.#early.delete(this.#passed + 1))
    }
    return true
  }

  /** The same for the next one of those that are handled in the order received. */
  ackInTurn(): void {
    this.#inTurn += 1
    this.ack(this.#inTurn)
  }

  #pass(): void {
    const id = this.#ids.take() as string
    const position = this.#positions.take() ?? this.#newest
    this.#passed += 1
    this.#tally.size -= 1
    this.#tally.bytes -= bytesOf(id, position)
    this.#onPassed(id, position)
  }
}

function bytesOf(id: string, position: string): number {
  return PLACE_BYTES + 2 * (id.length + position.length)
}
