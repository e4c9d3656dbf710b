/** Counters of the events that were received together, reported to the observer as one batch. */
import type { StreamReporter } from '../observer.ts'

/** Counts events until `flush()`. */
export class BatchStatistics<Item> {
  readonly #report: StreamReporter
  /** Returns an item's timestamp in milliseconds since the Unix epoch. `undefined` if no observer needs it. */
  readonly #serverTimeMs: ((item: Item) => number | undefined) | undefined
  #events = 0
  #duplicates = 0
  #filtered = 0
  #undecodable = 0
  #bytes = 0
  #first: Item | undefined
  #last: Item | undefined

  constructor(report: StreamReporter, serverTimeMs: ((item: Item) => number | undefined) | undefined) {
    this.#report = report
    this.#serverTimeMs = serverTimeMs
  }

  /** Counts an event that was queued. */
  event(item: Item, bytes: number): void {
    this.#events += 1
    this.#bytes += bytes
    if (this.#serverTimeMs === undefined) return
    this.#first ??= item
    this.#last = item
  }

  /** Counts a queued message that cannot be decoded. */
  undecodable(bytes: number): void {
    this.#undecodable += 1
    this.#bytes += bytes
  }

  /** Counts a duplicate. */
  duplicate(): void {
    this.#duplicates += 1
  }

  /** Counts an event outside the selection. */
  filtered(): void {
    this.#filtered += 1
  }

  /** Reports the counters since the last call, unless all are zero, and resets them. */
  flush(atMs: number, queueDepth: number): void {
    const events = this.#events
    const duplicates = this.#duplicates
    const filtered = this.#filtered
    const undecodable = this.#undecodable
    if (events + duplicates + filtered + undecodable === 0) return
    if (this.#serverTimeMs !== undefined) {
      const bytes = this.#bytes
      const oldestLagMs = this.#lagMs(this.#first, atMs)
      const newestLagMs = this.#lagMs(this.#last, atMs)
      const counts = { events, duplicates, filtered, undecodable, bytes }
      this.#report('onStreamBatch', { ...counts, oldestLagMs, newestLagMs, queueDepth })
    }
    this.#events = 0
    this.#duplicates = 0
    this.#filtered = 0
    this.#undecodable = 0
    this.#bytes = 0
    this.#first = undefined
    this.#last = undefined
  }

  #lagMs(item: Item | undefined, atMs: number): number | undefined {
    const serverTimeMs = item && this.#serverTimeMs?.(item)
    return serverTimeMs === undefined ? undefined : atMs - serverTimeMs
  }
}
