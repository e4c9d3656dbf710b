/**
 * The events of one event type between their receipt and their commit, in the order received.
 *
 * Only the prefix without a hole may be committed: a cursor past an event that was not handled would lose it after
 * a restart.
 */

/** One event in the line. */
export interface AckTicket {
  readonly position: string
  readonly id: string
  acked: boolean
}

/** What may be committed. */
export interface Committable {
  readonly position: string
  /** Ids of the events that this step takes in, oldest first. */
  readonly ids: readonly string[]
}

/** The line of one event type. */
export interface AckLine {
  /** Events received and not yet committable. */
  readonly size: number
  /** Takes an event in. @param acked - Handled already, as a filtered event is. */
  receive(position: string, id: string, acked: boolean): AckTicket
  /**
   * Marks an event as handled.
   *
   * @returns How far the line is handled without a hole now. `undefined` where nothing moved, or where no event of
   * the step has a position: an event without one leaves the cursor unchanged.
   */
  ack(ticket: AckTicket): Committable | undefined
}

/** Makes a line. */
export function createAckLine(): AckLine {
  const line: AckTicket[] = []
  let head = 0
  let pendingIds: string[] = []

  const advance = (): Committable | undefined => {
    let position = ''
    for (let first = line[head]; first?.acked === true; first = line[head]) {
      head += 1
      if (first.id !== '') pendingIds.push(first.id)
      if (first.position !== '') position = first.position
    }
    if (head >= 1024 || head === line.length) {
      line.splice(0, head)
      head = 0
    }
    if (position === '') return undefined
    const ids = pendingIds
    pendingIds = []
    return { position, ids }
  }

  return {
    get size() {
      return line.length - head
    },
    receive(position, id, acked) {
      const ticket = { position, id, acked }
      line.push(ticket)
      return ticket
    },
    ack(ticket) {
      ticket.acked = true
      return advance()
    },
  }
}
