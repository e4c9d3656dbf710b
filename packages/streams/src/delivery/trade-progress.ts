/**
 * Tracks which items the consumer of a trade, position or account stream has handled, and stores this
 * progress.
 */
import type { CompletenessTracker } from '../completeness/completeness-tracker.ts'
import type { RecentEvents } from '../completeness/event-identity.ts'
import type { QueuedItem } from '../items/queued-item.ts'
import type { TradeStreamEvent } from '../items/trade-items.ts'
import type { TradeStreamName } from '../observer.ts'
import type { Progress } from './frame-handler.ts'
import type { ProgressStore } from './progress-store.ts'
import type { TradePipeline } from './trade-pipeline.ts'

/** The parts of a stream that {@link TradeProgress} needs. */
export interface TradeProgressOptions {
  readonly name: TradeStreamName
  readonly records: ProgressStore
  readonly completeness: CompletenessTracker
  readonly recent: RecentEvents
  readonly pipeline: TradePipeline
}

/** The progress of one trade, position or account stream. */
export class TradeProgress implements Progress<TradeStreamEvent> {
  readonly #options: TradeProgressOptions
  #handledItems = 0

  constructor(options: TradeProgressOptions) {
    this.#options = options
  }

  /** Number of items that the consumer has handled. */
  get handledItems(): number {
    return this.#handledItems
  }

  async prepare(nowMs: number, signal: AbortSignal): Promise<void> {
    const { name, records, completeness, recent, pipeline } = this.#options
    const { ids, complete, isStored } = await records.start(name, nowMs, signal)
    recent.begin(ids)
    pipeline.begin(ids, isStored ? 'restart' : 'before-subscription')
    completeness.begin(complete ?? { serviceMs: undefined, hostMs: nowMs, offsetMs: undefined })
  }

  handled(item: QueuedItem<TradeStreamEvent>): void {
    const { records, completeness, recent } = this.#options
    this.#handledItems += 1
    if (records.closed) return
    if (item.type === 'event') {
      recent.add(item)
      completeness.onHandled(item.timestamp)
    } else if (item.type === 'notice' && item.kind === 'gap') completeness.onGapHandled(item)
  }

  /** Trade streams have no acknowledgements: `ack()` does nothing. */
  createAck(): () => void {
    return () => {}
  }

  async finish(): Promise<void> {
    await this.#options.records.close()
  }
}
