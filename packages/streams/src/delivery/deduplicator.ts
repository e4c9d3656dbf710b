/**
 * Finds duplicates among the events of a stream, in the order received.
 *
 * An event is added to its filter by the next `check()` or by `flush()`, so a waiting consumer receives the
 * event before that work is done.
 */
import type { MessageBatch } from '../transport/message-batch.ts'
import type { DuplicateFilter, DuplicateResult } from './duplicate-filter.ts'
import { EncodedId } from './encoded-id.ts'

/** Checks each event against a filter, and adds new events to it. */
export class Deduplicator<Frame> {
  readonly #id: EncodedId
  /** Filter of the event that is not added yet. `#id` is the id of this event. */
  #filter: DuplicateFilter<Frame> | undefined
  #batch: MessageBatch<Frame> | undefined
  #index = 0

  /** @param random - Returns the seed of the hashes. */
  constructor(random: () => number) {
    this.#id = new EncodedId(random)
  }

  /**
   * Classifies an event by the events that its filter knows. An event that is no duplicate is added to the filter
   * later.
   *
   * @param index - Index of the event in the batch.
   * @param id - Id of the event. Default: the id that the decoder found in the received bytes.
   */
  check(
    filter: DuplicateFilter<Frame>,
    batch: MessageBatch<Frame>,
    index: number,
    id?: string,
  ): DuplicateResult {
    this.flush()
    if (id === undefined) this.#id.encodeFrom(batch, index)
    else this.#id.encodeString(id)
    const result = filter.classify(this.#id, batch.messages[index] as Frame)
    if (result === 'duplicate') return result
    this.#filter = filter
    this.#batch = batch
    this.#index = index
    return result
  }

  /** Adds an id without its event, such as an id of a stored cursor. */
  add(filter: DuplicateFilter<Frame>, id: string): void {
    this.flush()
    this.#id.encodeString(id)
    filter.addId(this.#id)
  }

  /** Adds the last event. Call it before the next batch is read, because that invalidates the batch. */
  flush(): void {
    const filter = this.#filter
    const batch = this.#batch
    if (filter === undefined || batch === undefined) return
    this.#filter = undefined
    this.#batch = undefined
    filter.add(this.#id, batch, this.#index)
  }
}
