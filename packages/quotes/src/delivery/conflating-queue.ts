/**
 * The queue of received items. The connection has no backpressure, because the service would then buffer
 * messages, and a slow consumer would receive old prices.
 *
 * States (snapshot, quote) are conflated: a newer state replaces the queued one of its symbol and keeps its position, so a
 * slow consumer sees the latest state of each symbol in turn. Trades are queued up to a limit in bytes; beyond it the oldest
 * are dropped, counted, and reported before the next item.
 */
import { AsyncQueue, Queue } from '@brokerwire/core/internal'
import { isState, type MessageItem, messageSize } from '../items/message-items.ts'
import type { QuotesNotice } from '../notices.ts'

/** Limits in bytes. An item counts with its payload, its symbol, and 320 bytes. */
export interface QueueLimits {
  /** Limit of trades and of messages of unknown topics. */
  readonly maxTickBytes: number
  /** Limit of states. */
  readonly maxStateBytes: number
}

/**
 * Most queued notices. If there are more, the consumer has not read for hours, and the oldest notice is
 * dropped.
 */
const MAX_NOTICES = 1000
/** Most queued backfilled items: enough for all ticks that calls return for the symbols of a connection. */
const MAX_BACKFILLED = 100_000

/** An item with its sequence number. */
interface Sequenced<T> {
  order: number
  item: T
}

/** A queue of messages, with their size. */
class MessageQueue {
  readonly queue = new Queue<Sequenced<MessageItem | undefined>>()
  bytes = 0
}

/** Most empty slots that are kept. There is a limit because a hostile broker may invent symbols. */
const MAX_EMPTY_SLOTS = 4096

/** The slots of one kind of state, by symbol. Empty slots are kept for the symbol's next state. */
class StateSlots {
  readonly #bySymbol = new Map<string, Sequenced<MessageItem | undefined>>()
  #sweepAt = MAX_EMPTY_SLOTS

  slotFor(symbol: string): Sequenced<MessageItem | undefined> {
    const known = this.#bySymbol.get(symbol)
    if (known !== undefined) return known
    if (this.#bySymbol.size >= this.#sweepAt) this.#sweep()
    const place = { order: 0, item: undefined }
    this.#bySymbol.set(symbol, place)
    return place
  }

  #sweep(): void {
    for (const [symbol, { item }] of this.#bySymbol) if (item === undefined) this.#bySymbol.delete(symbol)
    this.#sweepAt = 2 * this.#bySymbol.size + MAX_EMPTY_SLOTS
  }
}

/** A queue with one producer and one consumer. @typeParam Backfilled - Backfilled items. */
export class ConflatingQueue<Backfilled extends object = never> extends AsyncQueue<
  MessageItem | QuotesNotice | Backfilled
> {
  readonly #limits: QueueLimits
  readonly #now: () => number
  readonly #notices = new Queue<Sequenced<QuotesNotice>>()
  readonly #backfilled = new Queue<Sequenced<Backfilled>>()
  readonly #ticks = new MessageQueue()
  readonly #states = new MessageQueue()
  /** The slots by kind of state. */
  readonly #slots = new Map<string, StateSlots>()
  #order = 0
  #dropped = 0
  #droppedBytes = 0
  /** Number of items that were dropped so far. */
  droppedItems = 0
  /** Number of queued states that a newer one replaced so far. */
  replacedStates = 0

  /** @param now - Returns the time of overflow notices. */
  constructor(bounds: QueueLimits, now: () => number) {
    super()
    this.#limits = bounds
    this.#now = now
  }

  /** Number of queued items, including notices. */
  override get size(): number {
    const messages = this.#ticks.queue.size + this.#states.queue.size
    return messages + this.#notices.size + this.#backfilled.size + (this.#dropped > 0 ? 1 : 0)
  }

  /** Size of the queued messages, in bytes. */
  get bytes(): number {
    return this.#ticks.bytes + this.#states.bytes
  }

  /** Adds a message. After `close` the message is ignored. */
  message(item: MessageItem): void {
    if (this.closed) return
    if (!isState(item.kind) || item.symbol === undefined)
      this.#append(this.#ticks, { order: 0, item }, item, this.#limits.maxTickBytes)
    else this.#conflate(item, item.symbol)
    this.wake()
  }

  /** Adds a notice. */
  notice(item: QuotesNotice): void {
    this.#push(this.#notices, item, MAX_NOTICES)
  }

  /** Adds a backfilled item, which is not limited in bytes, because it comes from the caller's hook. */
  pushBackfilled(item: Backfilled): void {
    this.#push(this.#backfilled, item, MAX_BACKFILLED)
  }

  #push<T>(queue: Queue<Sequenced<T>>, item: T, max: number): void {
    if (this.closed) return
    this.#order += 1
    queue.push({ order: this.#order, item })
    if (queue.size > max) {
      queue.shift()
      this.#dropped += 1
      this.droppedItems += 1
    }
    this.wake()
  }

  override shift(): MessageItem | QuotesNotice | Backfilled | undefined {
    if (this.#dropped > 0) return this.#takeOverflow()
    const notice = this.#notices.peek()?.order ?? Number.POSITIVE_INFINITY
    const tick = this.#ticks.queue.peek()?.order ?? Number.POSITIVE_INFINITY
    const state = this.#states.queue.peek()?.order ?? Number.POSITIVE_INFINITY
    const extra = this.#backfilled.peek()?.order ?? Number.POSITIVE_INFINITY
    const message = Math.min(tick, state)
    if (notice < message && notice < extra) return this.#notices.shift()?.item
    if (extra < message) return this.#backfilled.shift()?.item
    return this.#takeFrom(tick < state ? this.#ticks : this.#states)
  }

  override clear(): void {
    this.#notices.clear()
    this.#backfilled.clear()
    for (const line of [this.#ticks, this.#states]) {
      line.queue.clear()
      line.bytes = 0
    }
    this.#slots.clear()
    this.#dropped = 0
    this.#droppedBytes = 0
    super.clear()
  }

  /** Replaces the queued state of the same symbol, or appends the message. */
  #conflate(item: MessageItem, symbol: string): void {
    let ofKind = this.#slots.get(item.kind)
    if (ofKind === undefined) {
      ofKind = new StateSlots()
      this.#slots.set(item.kind, ofKind)
    }
    const place = ofKind.slotFor(symbol)
    const before = place.item
    place.item = item
    if (before === undefined) {
      this.#append(this.#states, place, item, this.#limits.maxStateBytes)
      return
    }
    item.replaced = before.replaced + 1
    this.replacedStates += 1
    this.#states.bytes += messageSize(item) - messageSize(before)
    this.#dropOldest(this.#states, this.#limits.maxStateBytes)
  }

  #append(
    line: MessageQueue,
    place: Sequenced<MessageItem | undefined>,
    item: MessageItem,
    maxBytes: number,
  ): void {
    this.#order += 1
    place.order = this.#order
    line.queue.push(place)
    line.bytes += messageSize(item)
    this.#dropOldest(line, maxBytes)
  }

  /**
   * Drops the oldest messages, but never the last one, so that a single message over the limit is delivered.
   */
  #dropOldest(line: MessageQueue, maxBytes: number): void {
    while (line.bytes > maxBytes && line.queue.size > 1) {
      const oldest = this.#takeFrom(line)
      if (oldest === undefined) return
      this.#dropped += 1
      this.droppedItems += 1
      this.#droppedBytes += oldest.payload.length
    }
  }

  #takeFrom(line: MessageQueue): MessageItem | undefined {
    const place = line.queue.shift()
    const item = place?.item
    if (place === undefined || item === undefined) return undefined
    line.bytes -= messageSize(item)
    place.item = undefined
    return item
  }

  #takeOverflow(): QuotesNotice {
    const messages = this.#dropped
    const bytes = this.#droppedBytes
    this.#dropped = 0
    this.#droppedBytes = 0
    return { type: 'notice', kind: 'overflow', atMs: this.#now(), messages, bytes }
  }
}
