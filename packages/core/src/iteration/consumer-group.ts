/** Consumers that are left together: of streams, or of market data. */
import { allClosed } from './closable.ts'

/** Consumers that were begun and are not over: whoever disposes of their group leaves them all, and lets no other begin. */
export class ConsumerGroup {
  readonly #open = new Set<{ return(): Promise<unknown> }>()
  #closed = false

  /**
   * Takes in one that is begun.
   *
   * @param closed - Makes the error for one that is begun too late.
   * @returns Forgets it: to be called when it is over.
   * @throws That error, after `closeAll()`.
   */
  add(consumer: { return(): Promise<unknown> }, closed: () => Error): () => void {
    if (this.#closed) throw closed()
    this.#open.add(consumer)
    return () => void this.#open.delete(consumer)
  }

  /** Leaves every consumer, as `return()` of each does. */
  async closeAll(): Promise<void> {
    this.#closed = true
    await allClosed([...this.#open].map((consumer) => consumer.return()))
  }
}
