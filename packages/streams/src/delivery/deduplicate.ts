/**
 * Finds repeats among the events of a stream, in their order.
 *
 * An event is remembered with the call after its own, or by `flush()`: a consumer that waits for it gets it before the
 * window is written.
 */
import type { MessageBatch } from '../transport/message-batch.ts'
import type { DuplicateFilter, DuplicateResult } from './duplicate-filter.ts'
import { EncodedId } from './encoded-id.ts'

export class Deduplicator<Frame> {
  readonly #name: EncodedId
  /** Window of the event that is not remembered yet; `#name` is still that of this event. */
  #window: DuplicateFilter<Frame> | undefined
  #batch: MessageBatch<Frame> | undefined
  #index = 0

  /** @param random - Seeds the hashes. */
  constructor(random: () => number) {
    this.#name = new EncodedId(random)
  }

  /**
   * Compares an event of a batch with those of its window, and remembers it unless it is a repeat.
   *
   * @param id - What identifies the event, if it is not the text that the decoder marked in the received bytes.
   */
  check(
    window: DuplicateFilter<Frame>,
    batch: MessageBatch<Frame>,
    index: number,
    id?: string,
  ): DuplicateResult {
    this.flush()
    if (id === undefined) this.#name.encodeFrom(batch, index)
    else this.#name.encodeString(id)
    const result = window.classify(this.#name, batch.messages[index] as Frame)
    if (result === 'duplicate') return result
    this.#window = window
    this.#batch = batch
    this.#index = index
    return result
  }

  /** Remembers an id without its event, such as one of a stored cursor. */
  add(window: DuplicateFilter<Frame>, id: string): void {
    this.flush()
    this.#name.encodeString(id)
    window.add(this.#name)
  }

  /** Remembers the last event. A batch is valid until the next one is read, so call it before. */
  flush(): void {
    const window = this.#window
    const batch = this.#batch
    if (window === undefined || batch === undefined) return
    this.#window = undefined
    this.#batch = undefined
    window.remember(this.#name, batch, this.#index)
  }
}
