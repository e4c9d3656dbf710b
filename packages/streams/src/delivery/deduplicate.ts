/**
 * Finds repeats among the events of a stream, in their order.
 *
 * An event is remembered with the call after its own, or by `flush()`: a consumer that waits for it gets it before the
 * window is written.
 */
import type { MessageBatch } from '../transport/message-batch.ts'
import type { RepeatWindow, Verdict } from './repeat-window.ts'
import { SpelledName } from './spelled-name.ts'

export class Deduplicator<Frame> {
  readonly #name: SpelledName
  /** Window of the event that is not remembered yet; `#name` is still that of this event. */
  #window: RepeatWindow<Frame> | undefined
  #batch: MessageBatch<Frame> | undefined
  #index = 0

  /** @param random - Seeds the hashes. */
  constructor(random: () => number) {
    this.#name = new SpelledName(random)
  }

  /**
   * Compares an event of a batch with those of its window, and remembers it unless it is a repeat.
   *
   * @param id - What identifies the event, if it is not the text that the decoder marked in the received bytes.
   */
  check(window: RepeatWindow<Frame>, batch: MessageBatch<Frame>, index: number, id?: string): Verdict {
    this.flush()
    if (id === undefined) this.#name.spellOf(batch, index)
    else this.#name.spellText(id)
    const verdict = window.judge(this.#name, batch.messages[index] as Frame)
    if (verdict === 'repeat') return verdict
    this.#window = window
    this.#batch = batch
    this.#index = index
    return verdict
  }

  /** Remembers an id without its event, such as one of a stored cursor. */
  know(window: RepeatWindow<Frame>, id: string): void {
    this.flush()
    this.#name.spellText(id)
    window.know(this.#name)
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
