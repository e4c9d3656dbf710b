/**
 * The events of one event type between their receipt and their commit, by their numbers in the order received.
 *
 * Only the prefix without a hole may be committed: a cursor past an event that was not handled would lose it after
 * a restart. Of an event that waits nothing is kept; of those that were handled behind a hole their names are, and of those
 * that were filtered out there, which is handled already, the last position.
 */

export interface LineTally {
  size: number
  bytes: number
}

type Place = readonly [id: string, position: string]

export class AckLine {
  readonly #tally: LineTally
  readonly #onPassed: (id: string, position: string) => void
  // Numbers of events are even: the one between two is that of what was filtered out between them.
  #received = 0
  #handedOver = 0
  #passed = 0
  readonly #kept = new Map<number, Place>()

  /** @param onPassed - Called in order for each event before which there is no hole any more. */
  constructor(tally: LineTally, onPassed: (id: string, position: string) => void) {
    this.#tally = tally
    this.#onPassed = onPassed
  }

  /** How many events wait. */
  get size(): number {
    return (this.#received - this.#passed) / 2
  }

  /** Takes an event in. @returns Its number. */
  receive(): number {
    this.#tally.size += 1
    this.#received += 2
    return this.#received
  }

  /** Takes in the position of an event that nobody has to handle. */
  skip(position: string): void {
    if (position === '') return
    this.#take(this.#received + 1)
    if (this.size === 0) this.#onPassed('', position)
    else this.#keep(this.#received + 1, ['', position])
  }

  /** Marks an event as handled. @returns Whether it was not before. */
  ack(number: number, id: string, position: string): boolean {
    if (number <= this.#passed || this.#kept.has(number)) return false
    if (number > this.#passed + 2) this.#keep(number, [id, position])
    else this.#pass(id, position)
    return true
  }

  /** The same for the next one of those that are handled in the order received. */
  ackNext(id: string, position: string): void {
    this.#handedOver += 2
    this.ack(this.#handedOver, id, position)
  }

  #keep(number: number, place: Place): void {
    this.#kept.set(number, place)
    this.#tally.bytes += bytesOf(place)
  }

  #take(number: number): Place | undefined {
    const place = this.#kept.size === 0 ? undefined : this.#kept.get(number)
    if (place === undefined) return undefined
    this.#kept.delete(number)
    this.#tally.bytes -= bytesOf(place)
    return place
  }

  #pass(id: string, position: string): void {
    for (let place: Place | undefined = [id, position]; place !== undefined; ) {
      this.#passed += 2
      this.#tally.size -= 1
      this.#onPassed(place[0], place[1])
      const skipped = this.#take(this.#passed + 1)
      if (skipped !== undefined) this.#onPassed('', skipped[1])
      place = this.#take(this.#passed + 2)
    }
  }
}

function bytesOf([id, position]: Place): number {
  // What is around them takes 64.
  return 64 + 2 * (id.length + position.length)
}
