/**
 * Cursors and acknowledgements of the selected event types of a module stream.
 *
 * Each event type has two positions: the last one received, which a reconnect sends, and the last one committed, from which
 * the stream continues after a restart. A filtered event counts as handled, so the committed position moves past it, but not
 * past a gap notice that is not handled yet.
 */
import type { DecodeResult } from '@brokerwire/payloads'
import type { AckReceiver, Unacked } from '../items/module-items.ts'
import type { ModuleSelection } from '../module-selection.ts'
import { AckTracker, type PendingCounters } from './ack-tracker.ts'
import type { ItemQueue } from './item-queue.ts'
import type { ProgressStore } from './progress-store.ts'

/** The most bytes of unacknowledged events, counting all event types. */
const MAX_UNACKED_BYTES = 8 * 1024 * 1024

/** The selection of a stream, the option `ack`, and the parts of the stream that commits change. */
export interface CursorTrackerOptions {
  readonly selection: ModuleSelection
  readonly records: ProgressStore
  readonly ack: 'auto' | 'manual'
  readonly maxUnacked: number
  readonly queue: Pick<ItemQueue<never>, 'limitReads'>
}

/** Cursor and acknowledgements of a selected event type. */
export interface TypeCursor extends AckReceiver {
  /** Selects events by their decoded payload; `undefined` if every event of the type is selected. */
  readonly filter: ((decoded: DecodeResult<unknown>) => boolean) | undefined
  /** The events that are not committed yet. */
  readonly acks: AckTracker
  /** The position of the last event received. */
  received: string | undefined
}

/** The cursors of one module stream. */
export class CursorTracker {
  /** The selected event types. */
  readonly types: ReadonlyMap<string, TypeCursor>
  readonly #options: CursorTrackerOptions
  /** Counters of all event types. */
  readonly #pending: PendingCounters = { size: 0, bytes: 0 }

  constructor(options: CursorTrackerOptions) {
    this.#options = options
    const { selection, records } = options
    this.types = new Map(
      selection.eventTypes.map((eventType) => {
        const record = records.recordFor(eventType)
        const acks = new AckTracker(this.#pending, (id, position) => record.commit(id, position))
        const ack: AckReceiver['ack'] = (number, id, position) => {
          if (!acks.ack(number, id, position)) return
          this.limitReads()
          records.advance()
        }
        return [eventType, { filter: selection.filterFor(eventType), acks, ack, received: undefined }]
      }),
    )
    this.limitReads()
  }

  /** Number of events that are not committed yet. */
  get unacked(): number {
    return this.#pending.size
  }

  /** Returns the last position received, by event type. */
  snapshot(): ReadonlyMap<string, string> {
    const positions = new Map<string, string>()
    for (const [eventType, { received }] of this.types)
      if (received !== undefined) positions.set(eventType, received)
    return positions
  }

  /** Discards the positions received, because the service rejected them. */
  reset(): void {
    for (const type of this.types.values()) type.received = undefined
  }

  /** Adds an event that is delivered. @param position - Empty if the event has none. */
  add(type: TypeCursor, id: string, position: string): Unacked {
    const number = type.acks.add(id, position)
    return { receiver: type, number, id, position }
  }

  /**
   * Limits reading so that at most `maxUnacked` events are not committed.
   * @returns Whether this call stopped reading.
   */
  limitReads(): boolean {
    const { ack, queue, maxUnacked } = this.#options
    // With 'auto' the bounds of the queue are enough.
    if (ack === 'auto') return false
    const { size, bytes } = this.#pending
    return queue.limitReads(bytes < MAX_UNACKED_BYTES ? maxUnacked - size : 0)
  }
}
