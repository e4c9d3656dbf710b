/** A group of open streams that are closed together. */
import { allClosed } from './closable.ts'

/** Streams that are running. `closeAll()` ends all of them, and `add()` fails afterwards. */
export class StreamGroup {
  readonly #open = new Set<{ return(): Promise<unknown> }>()
  #closed = false

  /**
   * Adds a stream when it starts.
   *
   * @param closed - Creates the error for a stream that starts after `closeAll()`.
   * @returns A function that removes the stream. Call it when the stream has ended.
   * @throws The error of `closed`, after `closeAll()`.
   */
  add(stream: { return(): Promise<unknown> }, closed: () => Error): () => void {
    if (this.#closed) throw closed()
    this.#open.add(stream)
    return () => void this.#open.delete(stream)
  }

  /** Calls `return()` of all streams and waits for them. */
  async closeAll(): Promise<void> {
    this.#closed = true
    await allClosed([...this.#open].map((stream) => stream.return()))
  }
}
