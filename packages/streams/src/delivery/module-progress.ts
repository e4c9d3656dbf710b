/** Follows what the consumer of a module stream has handled, and commits it. */

import type { CompletenessTracker } from '../completeness/completeness-tracker.ts'
import { type ModuleItem, ReceivedModuleItem } from '../items/module-items.ts'
import type { ItemOf } from '../items/stream-item.ts'
import type { CursorStart, CursorStore } from './cursor-store.ts'
import type { Progress } from './frame-handler.ts'
import type { ModuleGaps } from './module-gaps.ts'
import type { ModulePipeline } from './module-pipeline.ts'
import type { PositionTracker } from './position-tracker.ts'

export interface ModuleProgressOptions<Event> {
  readonly ack: 'auto' | 'manual'
  readonly cursors: CursorStore
  readonly completeness: CompletenessTracker
  readonly positions: PositionTracker
  readonly gaps: ModuleGaps
  readonly pipeline: ModulePipeline<Event>
}

type Item<Event> = ItemOf<ModuleItem<Event>>

export class ModuleProgress<Event> implements Progress<ModuleItem<Event>> {
  readonly #options: ModuleProgressOptions<Event>
  /** Notices come in arrays, whose `ack()` counts for them too. */
  #isBatched = false
  #handledItems = 0

  constructor(options: ModuleProgressOptions<Event>) {
    this.#options = options
  }

  /** The number of items after which the consumer asked for another one. */
  get handledItems(): number {
    return this.#handledItems
  }

  async prepare(nowMs: number, signal: AbortSignal): Promise<void> {
    const { cursors, positions, gaps, pipeline } = this.#options
    const starts = new Map<string, CursorStart>()
    for (const [eventType, type] of positions.types) {
      signal.throwIfAborted()
      const start = await cursors.start(eventType, nowMs, signal)
      for (const id of start.ids) pipeline.addKnownId(eventType, id)
      type.received = start.position
      starts.set(eventType, start)
    }
    gaps.begin(starts, { serviceMs: undefined, hostMs: nowMs, offsetMs: undefined })
  }

  handled(item: Item<Event>): void {
    const { ack, completeness } = this.#options
    const isAuto = ack === 'auto'
    this.#handledItems += 1
    if (isAuto) ReceivedModuleItem.ack(item)
    if (isAuto || !this.#isBatched) this.#handledGap(item)
    if (isAuto && item.type === 'event') completeness.onHandled(item.timestamp)
  }

  ackOf(items: readonly Item<Event>[]): () => void {
    this.#isBatched = true
    return () => {
      for (const item of items) if (item.type === 'event') item.ack()
      for (const item of items) this.#handledGap(item)
    }
  }

  async finish(): Promise<void> {
    await this.#options.cursors.close()
  }

  #handledGap(item: Item<Event>): void {
    if (item.type !== 'notice' || item.kind !== 'gap') return
    const { gaps, completeness, cursors, ack } = this.#options
    if (!gaps.handled(item)) return
    // With 'manual', events before it may still wait for their acknowledgement.
    if (ack === 'auto') completeness.onGapHandled(item)
    else cursors.advance()
  }
}
