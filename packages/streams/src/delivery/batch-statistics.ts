/** Counts the events that arrived together, and reports them to the observer as one batch. */
import type { Reporter } from '../observer.ts'

export class BatchStatistics<Item> {
  readonly #report: Reporter
  /** Reads an item's own timestamp, milliseconds since the Unix epoch; `undefined` if no observer asks for it. */
  readonly #serverTimeMs: ((item: Item) => number | undefined) | undefined
  #events = 0
  #repeats = 0
  #filtered = 0
  #undecodable = 0
  #bytes = 0
  #first: Item | undefined
  #last: Item | undefined

  constructor(report: Reporter, serverTimeMs: ((item: Item) => number | undefined) | undefined) {
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

  /** Counts a message that cannot be decoded and was queued. */
  undecodable(bytes: number): void {
    this.#undecodable += 1
    this.#bytes += bytes
  }

  duplicate(): void {
    this.#repeats += 1
  }

  filtered(): void {
    this.#filtered += 1
  }

  /** Reports the counts since the last call, if there are any. */
  flush(atMs: number, queueDepth: number): void {
    const events = this.#events
    const repeats = this.#repeats
    const filtered = this.#filtered
    const undecodable = this.#undecodable
    if (events + repeats + filtered + undecodable === 0) return
    if (this.#serverTimeMs !== undefined) {
      const bytes = this.#bytes
      const oldestLagMs = this.#lagMs(this.#first, atMs)
      const newestLagMs = this.#lagMs(this.#last, atMs)
      const counts = { events, repeats, filtered, undecodable, bytes }
      this.#report('onBatch', { ...counts, oldestLagMs, newestLagMs, queueDepth })
    }
    this.#events = 0
    this.#repeats = 0
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
