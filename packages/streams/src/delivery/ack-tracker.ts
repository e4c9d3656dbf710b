/**
 * The unacknowledged events of one event type, numbered in the order received.
 *
 * An event is committed only if all events before it are acknowledged too, because a cursor past an unhandled
 * event would lose that event after a restart. A filtered event needs no acknowledgement: its position is
 * committed together with the event before it.
 */

/** Counters of the events that are not committed yet. Trackers of several event types may share them. */
export interface PendingCounters {
  /** Number of events that are not committed yet. */
  size: number
  /** Estimated memory of these events and of skipped positions, in bytes. */
  bytes: number
}

/**
 * Memory of an unacknowledged event in bytes, in addition to its id and position. The item has these strings.
 */
const PENDING_BYTES = 64
/** Memory of an event that was acknowledged before an earlier one, in bytes: a map entry, its id and its position. */
const OUT_OF_ORDER_BYTES = 256
/** Memory of a skipped position without its characters, in bytes. */
const SKIPPED_BYTES = 192

/** Finds the events whose positions may be committed. */
export class AckTracker {
  readonly #pending: PendingCounters
  readonly #onCommitted: (id: string, position: string) => void
  #received = 0
  #committed = 0
  /** Events that were acknowledged before an earlier one, by number. */
  readonly #outOfOrder = new Map<number, readonly [id: string, position: string]>()
  /** The newest position that was skipped directly after an unacknowledged event, by the number of that event. */
  readonly #skipped = new Map<number, string>()
  /** The newest gap notice, until it is handled or an event is received after it. */
  #gap: object | undefined
  /** The newest position that was skipped after the gap. */
  #skippedAfterGap = ''

  /** @param onCommitted - Called in order for each event once it and all events before it are acknowledged. */
  constructor(pending: PendingCounters, onCommitted: (id: string, position: string) => void) {
    this.#pending = pending
    this.#onCommitted = onCommitted
  }

  /** Number of events that are not committed yet. */
  get size(): number {
    return this.#received - this.#committed
  }

  /** Adds an event. @returns Its number. */
  add(id: string, position: string): number {
    this.#received += 1
    this.#pending.size += 1
    this.#pending.bytes += pendingBytes(id, position)
    // From now on this event blocks skipped positions, instead of the gap.
    this.#gap = undefined
    if (position === '') this.skip(this.#skippedAfterGap)
    this.#skippedAfterGap = ''
    return this.#received
  }

  /** Adds the position of an event that needs no acknowledgement, such as a filtered one. Ignored if empty. */
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

  /**
   * Called when a gap notice was queued. Positions that are skipped after this gap are not committed until
   * the notice is handled.
   */
  blockOnGap(gap: object): void {
    this.#gap = gap
    this.#skippedAfterGap = ''
  }

  /** Called when a gap notice was handled. Only the newest gap notice has an effect. */
  unblockGap(gap: object): void {
    if (gap !== this.#gap) return
    this.#gap = undefined
    this.skip(this.#skippedAfterGap)
    this.#skippedAfterGap = ''
  }

  /** Acknowledges an event; `id` and `position` are those of {@link add}. @returns `false` if it was acknowledged before. */
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
    this.#pending.bytes -= pendingBytes(id, position)
    const skipped = this.#skipped.size === 0 ? undefined : this.#unskip(this.#committed)
    this.#onCommitted(id, skipped ?? position)
  }

  /** Removes and returns the position that was skipped after an event. */
  #unskip(number: number): string | undefined {
    const position = this.#skipped.get(number)
    if (position === undefined) return undefined
    this.#skipped.delete(number)
    this.#pending.bytes -= SKIPPED_BYTES + 2 * position.length
    return position
  }
}

function pendingBytes(id: string, position: string): number {
  return PENDING_BYTES + 2 * (id.length + position.length)
}
