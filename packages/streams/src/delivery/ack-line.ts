/**
 * The events of one event type between their receipt and their commit, in the order received.
 *
 * Only the prefix without a hole may be committed: a cursor past an event that was not handled would lose it after
 * a restart. What was filtered out is handled already and leaves nothing but its position.
 */

/** One event in the line. */
export interface AckTicket {
  readonly id: string
  position: string
  acked: boolean
}

/** What the lines of one stream hold together. */
export interface LineTally {
  /** Events received and not passed yet. */
  size: number
  bytes: number
}

/** A ticket with its place, without its names. */
const TICKET_BYTES = 64

/** The line of one event type. */
export class AckLine {
  readonly #tally: LineTally
  readonly #onPassed: ((id: string, position: string) => void) | undefined
  readonly #line: AckTicket[] = []
  #head = 0

  /** @param onPassed - Called in order for each event before which there is no hole any more. */
  constructor(tally: LineTally, onPassed?: ((id: string, position: string) => void) | undefined) {
    this.#tally = tally
    this.#onPassed = onPassed
  }

  /** Events received and not passed yet. */
  get size(): number {
    return this.#line.length - this.#head
  }

  /** Takes an event in. */
  receive(id: string, position: string): AckTicket {
    const ticket = { id, position, acked: false }
    this.#line.push(ticket)
    this.#tally.size += 1
    this.#tally.bytes += bytesOf(ticket)
    return ticket
  }

  /** Takes in the position of an event that nobody has to handle. */
  skip(position: string): void {
    const last = this.#line.at(-1)
    if (position === '') return
    if (last === undefined) this.#onPassed?.('', position)
    else if (last.acked && last.id === '') {
      this.#tally.bytes += 2 * (position.length - last.position.length)
      last.position = position
    } else this.receive('', position).acked = true
  }

  /** Marks an event as handled. */
  ack(ticket: AckTicket): void {
    ticket.acked = true
    for (let first = this.#line[this.#head]; first?.acked === true; first = this.#line[this.#head]) {
      this.#head += 1
      this.#tally.size -= 1
      this.#tally.bytes -= bytesOf(first)
      this.#onPassed?.(first.id, first.position)
    }
    if (this.#head >= 1024 || this.#head === this.#line.length) {
      this.#line.splice(0, this.#head)
      this.#head = 0
    }
  }
}

function bytesOf({ id, position }: AckTicket): number {
  return TICKET_BYTES + 2 * (id.length + position.length)
}
