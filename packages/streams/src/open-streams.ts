/** The streams of one app key that were started and not finished: whoever disposes of them ends them all, for good. */
import { StreamsError } from './streams-error.ts'

interface OpenStream {
  return(): Promise<unknown>
}

export class OpenStreams {
  readonly #open = new Set<OpenStream>()
  #closed = false

  /** @returns Forgets it. @throws StreamsError `STREAM_CLOSED` after {@link closeAll}. */
  add(stream: OpenStream): () => void {
    const text = 'these streams were disposed of: make new ones'
    if (this.#closed) throw new StreamsError('STREAM_CLOSED', text, { details: {} })
    this.#open.add(stream)
    return () => void this.#open.delete(stream)
  }

  /** Leaves every stream, as `return()` of each does, and lets no other begin. */
  async closeAll(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#open].map((stream) => stream.return()))
  }
}
