/**
 * The events of one event type between their receipt and their commit, by their numbers in the order received.
 *
 * Only the prefix without a hole may be committed: a cursor past an event that was not handled would lose it after
 * a restart. What was filtered out is handled already, and leaves its position to the event before it.
 */

export interface PendingCounters {
  size: number
  bytes: number
}

/** An event that waits, without its names: those are the item's own, who hands them over with its ack. */
const PENDING_BYTES = 64
/** The names of one that is handled behind a hole, with what they were cut from, and where they stand. */
const OUT_OF_ORDER_BYTES = 256
/** A position that was skipped, beside its units. */
const SKIPPED_BYTES = 192

export class AckTracker {
  readonly #pending: PendingCounters
  readonly #onCommitted: (id: string, position: string) => void
  #received = 0
  #committed = 0
  /** Events that were handled before an earlier one. */
  readonly #outOfOrder = new Map<number, readonly [id: string, position: string]>()
  /** By the number of an unhandled event: the newest position that was skipped directly after it. */
  readonly #skipped = new Map<number, string>()
  /** The newest gap, until it was delivered or an event was received after it. */
  #gap: object | undefined
  /** The newest position that was skipped after the gap. */
  #skippedAfterGap = ''

  /** @param onCommitted - Called in order for each event before which there is no hole any more. */
  constructor(pending: PendingCounters, onCommitted: (id: string, position: string) => void) {
    this.#pending = pending
    this.#onCommitted = onCommitted
  }

  get size(): number {
    return this.#received - this.#committed
  }

  /** Takes an event in. @returns Its number. */
  receive(id: string, position: string): number {
    this.#received += 1
    this.#pending.size += 1
    this.#pending.bytes += bytesOf(id, position)
    // From here on the event blocks what is skipped, instead of the gap.
    this.#gap = undefined
    if (position === '') this.skip(this.#skippedAfterGap)
    this.#skippedAfterGap = ''
    return this.#received
  }

  /** Accepts the position of an event that needs no handling, such as a filtered one. */
  skip(position: string): void {
    if (position === '') return
    if (this.#gap !== undefined) this.#skippedAfterGap = position
    else if (this.size === 0) this.#onCommitted('', position)
    else {
      this.#unskip(this.#received)
      this.#pending.bytes += SKIPPED_BYTES + 2 * position.length
      this.#skipped.set(this.#received, position)
    }
  }

  /** A gap is queued: positions that are skipped after it are not committed before it is delivered. */
  blockOnGap(gap: object): void {
    this.#gap = gap
    this.#skippedAfterGap = ''
  }

  /** A gap was delivered. If there are several, only the newest one unblocks. */
  unblockGap(gap: object): void {
    if (gap !== this.#gap) return
    this.#gap = undefined
    this.skip(this.#skippedAfterGap)
    this.#skippedAfterGap = ''
  }

  /** Marks an event as handled, with what it was received with. @returns Whether it was not before. */
  ack(number: number, id: string, position: string): boolean {
    const outOfOrder = this.#outOfOrder
    if (number <= this.#committed || outOfOrder.has(number)) return false
    if (number > this.#committed + 1) {
      outOfOrder.set(number, [id, position])
      this.#pending.bytes += OUT_OF_ORDER_BYTES
      return true
    }
    this.#commit(id, position)
    while (outOfOrder.size > 0) {
      const next = outOfOrder.get(this.#committed + 1)
      if (next === undefined) break
      outOfOrder.delete(this.#committed + 1)
      this.#pending.bytes -= OUT_OF_ORDER_BYTES
      this.#commit(...next)
    }
    return true
  }

  #commit(id: string, position: string): void {
    this.#committed += 1
    this.#pending.size -= 1
    this.#pending.bytes -= bytesOf(id, position)
    const skipped = this.#skipped.size === 0 ? undefined : this.#unskip(this.#committed)
    this.#onCommitted(id, skipped ?? position)
  }

  /** Removes the position that was skipped after an event. @returns It, if there is one. */
  #unskip(number: number): string | undefined {
    const position = this.#skipped.get(number)
    if (position === undefined) return undefined
    this.#skipped.delete(number)
    this.#pending.bytes -= SKIPPED_BYTES + 2 * position.length
    return position
  }
}

function bytesOf(id: string, position: string): number {
  return PENDING_BYTES + 2 * (id.length + position.length)
}
