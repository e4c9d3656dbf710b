/** Follows what the consumer of a module stream has handled, and commits it. */
import { type ModuleItem, ReceivedModuleItem } from '../items/module-items.ts'
import type { ItemOf } from '../items/stream-item.ts'
import type { CursorStore } from './cursor-store.ts'
import type { Progress } from './frame-handler.ts'
import type { ModuleGaps } from './module-gaps.ts'
import type { ModulePipeline } from './module-pipeline.ts'
import type { PositionTracker } from './position-tracker.ts'

export interface ModuleProgressOptions<Event> {
  readonly ack: 'auto' | 'manual'
  readonly cursors: CursorStore
  readonly positions: PositionTracker
  readonly gaps: ModuleGaps
  readonly pipeline: ModulePipeline<Event>
}

type Item<Event> = ItemOf<ModuleItem<Event>>

export class ModuleProgress<Event> implements Progress<ModuleItem<Event>> {
  readonly #options: ModuleProgressOptions<Event>
  /** Notices come in arrays, whose `ack()` counts for them too. */
  #isBatched = false

  constructor(options: ModuleProgressOptions<Event>) {
    this.#options = options
  }

  async prepare(signal: AbortSignal): Promise<void> {
    const { cursors, positions, gaps, pipeline } = this.#options
    for (const [eventType, type] of positions.types) {
      signal.throwIfAborted()
      const { position, ids, sinceMs } = await cursors.start(eventType, signal)
      for (const id of ids) pipeline.addKnownId(eventType, id)
      type.received = position
      if (position === undefined && sinceMs !== undefined) gaps.missedSince(sinceMs, eventType)
    }
  }

  handled(item: Item<Event>): void {
    const isAuto = this.#options.ack === 'auto'
    if (isAuto) ReceivedModuleItem.ack(item)
    if (isAuto || !this.#isBatched) this.#handledGap(item)
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
    if (item.type === 'notice' && item.kind === 'gap') this.#options.gaps.handled(item)
  }
}
