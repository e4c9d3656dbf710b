/** Counters of the messages that a connection received together, reported to the observer as one batch. */
import type { Reporter } from '@brokerwire/core/internal'
import type { MessageItem } from '../items/message-items.ts'
import type { QuotesObserver, QuotesSource } from '../observer.ts'
import type { ConflatingQueue } from './conflating-queue.ts'

/** The queue, as far as reports need it. */
type CountedQueue = Pick<ConflatingQueue, 'size' | 'droppedItems' | 'replacedStates'>

/** Counts messages until `flush()`. */
export class BatchStatistics {
  readonly #report: Reporter<QuotesObserver, QuotesSource>
  readonly #queue: CountedQueue
  #messages = 0
  #bytes = 0
  #last: MessageItem | undefined
  #droppedBefore = 0
  #replacedBefore = 0

  constructor(report: Reporter<QuotesObserver, QuotesSource>, queue: CountedQueue) {
    this.#report = report
    this.#queue = queue
  }

  /** Counts a message that was queued. */
  message(item: MessageItem): void {
    this.#messages += 1
    this.#bytes += item.payload.length
    this.#last = item
  }

  /** Reports the counters since the last call, unless no message was received, and resets them. */
  flush(connection: number): void {
    const item = this.#last
    if (item === undefined) return
    const { droppedItems, replacedStates, size } = this.#queue
    this.#report('onQuotesBatch', {
      connection,
      messages: this.#messages,
      bytes: this.#bytes,
      replaced: replacedStates - this.#replacedBefore,
      dropped: droppedItems - this.#droppedBefore,
      newestLagMs: lagMs(item),
      queueDepth: size,
    })
    this.#messages = 0
    this.#bytes = 0
    this.#last = undefined
    this.#droppedBefore = droppedItems
    this.#replacedBefore = replacedStates
  }
}

function lagMs(item: MessageItem): number | undefined {
  const { ok, value } = item.decode() as { readonly ok: boolean; readonly value?: object }
  const timestampMs = ok && value !== undefined && 'timestampMs' in value ? value.timestampMs : undefined
  return typeof timestampMs === 'number' ? item.receivedAtMs - timestampMs : undefined
}
