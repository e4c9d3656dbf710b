/**
 * The events of one event type between their receipt and their commit, in the order received.
 *
 * Only the prefix without a hole may be committed: a cursor past an event that was not handled would lose it after
 * a restart. What was filtered out is handled already and leaves nothing but its position.
 */
import { Fifo } from '@brokerwire/core'

export interface LineTally {
  size: number
  bytes: number
}

/** The place of an event in its line. */
export interface Place {
  readonly line: AckLine
  readonly id: string
  position: string
  handled: boolean
}

/** A place, without its names. */
const PLACE_BYTES = 64

export class AckLine {
  readonly #tally: LineTally
  readonly #onPassed: (id: string, position: string) => void
  readonly #places = new Fifo<Place>()
  /** What was filtered out last, while its place is the last one. */
  #skipped: Place | undefined

  /** @param onPassed - Called in order for each event before which there is no hole any more. */
  constructor(tally: LineTally, onPassed: (id: string, position: string) => void) {
    this.#tally = tally
    this.#onPassed = onPassed
  }

  get size(): number {
    return this.#places.size
  }

  /** Takes an event in. */
  receive(id: string, position: string): Place {
    this.#skipped = undefined
    return this.#add({ line: this, id, position, handled: false })
  }

  /** Takes in the position of an event that nobody has to handle. */
  skip(position: string): void {
    if (position === '') return
    if (this.size === 0) this.#onPassed('', position)
    else if (this.#skipped === undefined)
      this.#skipped = this.#add({ line: this, id: '', position, handled: true })
    else {
      this.#tally.bytes += 2 * (position.length - this.#skipped.position.length)
      this.#skipped.position = position
    }
  }

  /** Marks an event as handled. @returns Whether it was not before. */
  ack(place: Place): boolean {
    if (place.handled) return false
    place.handled = true
    while (this.#places.peek()?.handled === true) {
      const { id, position } = this.#places.take() as Place
      this.#tally.size -= 1
      this.#tally.bytes -= bytesOf(id, position)
      this.#onPassed(id, position)
    }
    return true
  }

  #add(place: Place): Place {
    this.#places.push(place)
    this.#tally.size += 1
    this.#tally.bytes += bytesOf(place.id, place.position)
    return place
  }
}

function bytesOf(id: string, position: string): number {
  return PLACE_BYTES + 2 * (id.length + position.length)
}
