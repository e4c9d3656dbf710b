/**
 * The track stage of a module stream: the position and the acknowledgements of each selected event type.
 *
 * Each event type has two positions: the last one received, which a reconnect sends, and the last one committed, from which a
 * restart continues. An event that is filtered out counts as handled, so the committed position moves past it, but never past
 * a gap that was not reported yet.
 */
import type { DecodeResult } from '@brokerwire/payloads'
import type { AckReceiver, Unacked } from '../items/module-items.ts'
import type { ModuleSelection } from '../module-selection.ts'
import { AckTracker, type PendingCounters } from './ack-tracker.ts'
import type { CursorStore } from './cursor-store.ts'
import type { ItemQueue } from './item-queue.ts'

/** Bytes of ids and positions of events that wait for their acknowledgement, of all event types. */
const UNACKED_BYTES = 8 * 1024 * 1024

export interface PositionTrackerOptions {
  readonly selection: ModuleSelection
  readonly cursors: CursorStore
  readonly ack: 'auto' | 'manual'
  readonly maxUnacked: number
  readonly queue: Pick<ItemQueue<never>, 'limitReads'>
}

/** A selected event type. */
export interface TypePosition extends AckReceiver {
  /** `undefined` if every event of the type is selected. */
  readonly wants: ((decoded: DecodeResult<unknown>) => boolean) | undefined
  readonly acks: AckTracker
  received: string | undefined
}

export class PositionTracker {
  readonly types: ReadonlyMap<string, TypePosition>
  readonly #options: PositionTrackerOptions
  /** Events that wait for their acknowledgement, of all event types. */
  readonly #pending: PendingCounters = { size: 0, bytes: 0 }

  constructor(options: PositionTrackerOptions) {
    this.#options = options
    const { selection, cursors } = options
    this.types = new Map(
      selection.eventTypes.map((eventType) => {
        const cursor = cursors.cursorFor(eventType)
        const acks = new AckTracker(this.#pending, (id, position) => cursor.commit(id, position))
        const ack: AckReceiver['ack'] = (number, id, position) => {
          if (!acks.ack(number, id, position)) return
          this.limitReads()
          cursors.advance()
        }
        return [eventType, { wants: selection.wants(eventType), acks, ack, received: undefined }]
      }),
    )
    this.limitReads()
  }

  /** The number of events that wait for their acknowledgement. */
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

  /** Forgets the positions received, because the service rejected them. */
  reset(): void {
    for (const type of this.types.values()) type.received = undefined
  }

  /** Tracks an event that is delivered. @param position - Empty if the event has none. */
  receive(type: TypePosition, id: string, position: string): Unacked {
    const number = type.acks.receive(id, position)
    return { receiver: type, number, id, position }
  }

  /** Reads no more than may wait for `ack()`. @returns Whether reading stops here. */
  limitReads(): boolean {
    const { ack, queue, maxUnacked } = this.#options
    // With 'auto' the bounds of the queue limit both.
    if (ack === 'auto') return false
    const { size, bytes } = this.#pending
    return queue.limitReads(bytes < UNACKED_BYTES ? maxUnacked - size : 0)
  }
}
