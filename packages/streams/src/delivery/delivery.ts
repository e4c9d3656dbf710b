/**
 * From frames to items: what supervision hands on, and the outlet to the consumer that both services share.
 */

import type { UnknownField } from '@bufbuild/protobuf'
import { itemBytes, noticeBytes } from '../items/item-bytes.ts'
import { type StreamNotice, shownNotice } from '../items/notices.ts'
import { createReporter, type Reporter, type StreamName, type StreamObserver } from '../observer.ts'
import type { FrameClass, SupervisorEffect } from '../supervisor/machine-types.ts'
import type { MessageBatch } from '../transport/message-batch.ts'
import { ItemQueue, type QueueBounds } from './item-queue.ts'

/** What supervision reads of a frame. Both services' frames differ. */
export interface FrameReader<Frame> {
  classOf(frame: Frame): FrameClass
  /** The frame's own timestamp, milliseconds since the Unix epoch, where it can be read. */
  serverMs(frame: Frame): number | undefined
  /** What names the connection, where the frame says so. */
  connectionId(frame: Frame): string | undefined
}

/** Makes items of the frames of one service. */
export interface Delivery<Frame> {
  readonly frames: FrameReader<Frame>
  /** Takes a part of a batch, `to` not included. Control frames in it are not its concern. */
  take(batch: MessageBatch<Frame>, from: number, to: number, atMs: number): void
  /** The stream is back after a gap: says what may be missing. */
  cameBack(effect: Extract<SupervisorEffect, { readonly type: 'came-back' }>): void
}

/** What is no control frame. */
export function isDelivered(kind: FrameClass): kind is 'event' | 'unknown' {
  return kind === 'event' || kind === 'unknown'
}

/** What an item of either service has. */
export interface EventFields {
  readonly type: 'event'
  readonly payload: string
  readonly timestamp: string
  readonly unknownFields: readonly UnknownField[]
}

/** Options of {@link Outlet}. */
export interface OutletOptions {
  readonly bounds: QueueBounds
  readonly observer: StreamObserver | undefined
  readonly stream: StreamName
  /** Makes a text of the service one that a notice may show. */
  readonly shown: (text: string) => string
  /** Reads a frame's timestamp; `NaN` where it is none. */
  readonly sentMs: (timestamp: string) => number
  /** The longest name that is remembered, at two bytes a UTF-16 unit. */
  readonly maxNameBytes: number
}

/** Fields that name something. */
type NameField = Extract<StreamNotice, { readonly kind: 'name-too-long' }>['field']

/** What goes to the consumer, in order, and to the observer, batch by batch. */
export class Outlet<Item extends EventFields> {
  readonly queue: ItemQueue<Item | StreamNotice>
  readonly report: Reporter
  /** Ends the stream with an error, after what is queued. Set by whoever supervises it. */
  fail: (error: unknown) => void
  readonly #shown: OutletOptions['shown']
  readonly #maxNameUnits: number
  readonly #sentMs: ((timestamp: string) => number) | undefined
  #events = 0
  #repeats = 0
  #filtered = 0
  #bytes = 0
  #first: Item | undefined
  #last: Item | undefined

  constructor({ bounds, observer, stream, shown, sentMs, maxNameBytes }: OutletOptions) {
    this.#maxNameUnits = Math.floor(maxNameBytes / 2)
    const queue = new ItemQueue<Item | StreamNotice>(bounds)
    this.queue = queue
    this.report = createReporter(observer, stream)
    this.fail = (error) => queue.close({ error })
    this.#shown = shown
    this.#sentMs = observer?.onBatch === undefined ? undefined : sentMs
  }

  /** @param units - UTF-16 units of the item's texts. */
  event(item: Item, units: number): void {
    const bytes = itemBytes(units, item.unknownFields)
    this.queue.push(item, bytes)
    this.#events += 1
    this.#bytes += bytes
    this.#first ??= item
    this.#last = item
  }

  repeat(): void {
    this.#repeats += 1
  }

  filtered(): void {
    this.#filtered += 1
  }

  /** A name that may be remembered: the empty one instead of one past the bound. */
  nameOf(name: string): string {
    return name.length <= this.#maxNameUnits ? name : ''
  }

  /**
   * Keeps a name within the bound: one of megabytes would otherwise be kept thousands of times.
   *
   * @returns The name, or the empty one that names nothing, after a notice.
   */
  bounded(field: NameField, name: string, atMs: number): string {
    if (name.length <= this.#maxNameUnits) return name
    this.notify({ type: 'notice', kind: 'name-too-long', atMs, field, bytes: 2 * name.length })
    return ''
  }

  notify(said: StreamNotice): void {
    const notice = shownNotice(said, this.#shown)
    this.queue.push(notice, noticeBytes(notice))
    this.report('onNotice', { notice })
  }

  /** A batch is over: the observer hears of it, once. */
  settle(atMs: number): void {
    const sentMs = this.#sentMs
    if (sentMs !== undefined && this.#events + this.#repeats + this.#filtered > 0) {
      const lagOf = (item: Item | undefined): number | undefined => {
        const lagMs = item === undefined ? Number.NaN : atMs - sentMs(item.timestamp)
        return Number.isNaN(lagMs) ? undefined : lagMs
      }
      this.report('onBatch', {
        events: this.#events,
        repeats: this.#repeats,
        filtered: this.#filtered,
        bytes: this.#bytes,
        oldestLagMs: lagOf(this.#first),
        newestLagMs: lagOf(this.#last),
        queueDepth: this.queue.size,
      })
    }
    this.#events = 0
    this.#repeats = 0
    this.#filtered = 0
    this.#bytes = 0
    this.#first = undefined
    this.#last = undefined
  }
}
