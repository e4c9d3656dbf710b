/** Tracks which items the consumer of a module stream has handled, and commits their positions. */
import type { CompletenessTracker } from '../completeness/completeness-tracker.ts'
import { type ModuleItem, ReceivedModuleItem } from '../items/module-items.ts'
import type { QueuedItem } from '../items/queued-item.ts'
import type { CursorTracker } from './cursor-tracker.ts'
import type { Progress } from './frame-handler.ts'
import type { ModuleGaps } from './module-gaps.ts'
import type { ModulePipeline } from './module-pipeline.ts'
import type { ProgressStart, ProgressStore } from './progress-store.ts'

/** The parts of a stream that {@link ModuleProgress} needs. */
export interface ModuleProgressOptions<Event> {
  readonly ack: 'auto' | 'manual'
  readonly records: ProgressStore
  readonly completeness: CompletenessTracker
  readonly cursors: CursorTracker
  readonly gaps: ModuleGaps
  readonly pipeline: ModulePipeline<Event>
}

type Item<Event> = QueuedItem<ModuleItem<Event>>

/** The progress of one module stream. */
export class ModuleProgress<Event> implements Progress<ModuleItem<Event>> {
  readonly #options: ModuleProgressOptions<Event>
  /** Whether the consumer reads arrays. If so, the `ack()` of an array marks its gap notices as handled. */
  #isBatched = false
  #handledItems = 0

  constructor(options: ModuleProgressOptions<Event>) {
    this.#options = options
  }

  /** Number of items that the consumer has handled. */
  get handledItems(): number {
    return this.#handledItems
  }

  async prepare(nowMs: number, signal: AbortSignal): Promise<void> {
    const { records, cursors, gaps, pipeline } = this.#options
    const starts = new Map<string, ProgressStart>()
    for (const [eventType, type] of cursors.types) {
      signal.throwIfAborted()
      const start = await records.start(eventType, nowMs, signal)
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
    if (isAuto || !this.#isBatched) this.#onGapHandled(item)
    if (isAuto && item.type === 'event') completeness.onHandled(item.timestamp)
  }

  createAck(items: readonly Item<Event>[]): () => void {
    this.#isBatched = true
    return () => {
      for (const item of items) if (item.type === 'event') item.ack()
      for (const item of items) this.#onGapHandled(item)
    }
  }

  async finish(): Promise<void> {
    await this.#options.records.close()
  }

  #onGapHandled(item: Item<Event>): void {
    if (item.type !== 'notice' || item.kind !== 'gap') return
    const { gaps, completeness, records, ack } = this.#options
    if (!gaps.onHandled(item)) return
    // With 'manual', events before the gap may still be unacknowledged, so `handledUntil` must not move past
    // the gap.
    if (ack === 'auto') completeness.onGapHandled(item)
    else records.advance()
  }
}
