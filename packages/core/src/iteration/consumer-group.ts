/** Open consumers of streams or market data that are closed together. */
import { allClosed } from './closable.ts'

/** Consumers that are running. `closeAll()` ends all of them, and `add()` fails afterwards. */
export class ConsumerGroup {
  readonly #open = new Set<{ return(): Promise<unknown> }>()
  #closed = false

  /**
   * Adds a consumer that starts.
   *
   * @param closed - Creates the error for a consumer that starts after `closeAll()`.
   * @returns Removes the consumer. Call it when the consumer has ended.
   * @throws The error of `closed`, after `closeAll()`.
   */
  add(consumer: { return(): Promise<unknown> }, closed: () => Error): () => void {
    if (this.#closed) throw closed()
    this.#open.add(consumer)
    return () => void this.#open.delete(consumer)
  }

  /** Calls `return()` of all consumers and waits for them. */
  async closeAll(): Promise<void> {
    this.#closed = true
    await allClosed([...this.#open].map((consumer) => consumer.return()))
  }
}
