/**
 * What was received and not yet taken. Nothing is ever held back on the connection: the service would push into its own
 * buffers, and a slow reader would see old prices.
 *
 * So a state (snapshot, quote) of a symbol waits once, in its latest form and in the place of the first one that waited: a slow
 * reader sees every symbol in turn, fresh. Trades wait in a queue that is bounded in bytes; the oldest are dropped, counted,
 * and told before the next item.
 */
import { isState, type MessageItem, messageBytes } from '../items/message-items.ts'
import type { QuotesNotice } from '../notices.ts'
import { Fifo } from './fifo.ts'

/** Bounds in bytes of what items hold: payloads, symbols, and some 300 bytes each. */
export interface OutboxBounds {
  /** Of trades and of messages of unknown topics. */
  readonly maxTickBytes: number
  /** Of states. */
  readonly maxStateBytes: number
}

/** Notices beyond that drop the oldest one: nobody has read for hours. */
const MAX_NOTICES = 1000
/** Extras beyond that drop the oldest one: all ticks that a call may answer for each symbol of a connection. */
const MAX_EXTRAS = 100_000

/** An item with its place among all. */
interface Placed<T> {
  readonly order: number
  item: T
}

/** Messages in one line, bounded. */
class Line {
  readonly fifo = new Fifo<Placed<MessageItem>>()
  bytes = 0
}

/** One producer, one consumer. @typeParam Extra - Items beside messages and notices: they wait as trades do. */
export class Outbox<Extra extends object = never> {
  readonly #bounds: OutboxBounds
  readonly #now: () => number
  readonly #notices = new Fifo<Placed<QuotesNotice>>()
  readonly #extras = new Fifo<Placed<Extra>>()
  readonly #ticks = new Line()
  readonly #states = new Line()
  /** What waits of each kind, by symbol. */
  readonly #waiting = new Map<string, Map<string, Placed<MessageItem>>>()
  #order = 0
  #dropped = 0
  #droppedBytes = 0
  #closed = false
  #failure: { readonly error: unknown } | undefined
  #consumer: (() => void) | undefined

  /** @param now - When drops are told of. */
  constructor(bounds: OutboxBounds, now: () => number) {
    this.#bounds = bounds
    this.#now = now
  }

  /** Items that wait, notices among them. */
  get size(): number {
    const messages = this.#ticks.fifo.size + this.#states.fifo.size
    return messages + this.#notices.size + this.#extras.size + (this.#dropped > 0 ? 1 : 0)
  }

  /** What messages hold that wait. */
  get bytes(): number {
    return this.#ticks.bytes + this.#states.bytes
  }

  /** Takes a message in. Ignored once closed. */
  message(item: MessageItem): void {
    if (this.#closed) return
    if (!isState(item.kind) || item.symbol === undefined)
      this.#append(this.#ticks, item, this.#bounds.maxTickBytes)
    else this.#state(item, item.symbol)
    this.#wake()
  }

  /** Takes a notice in. */
  notice(item: QuotesNotice): void {
    this.#queue(this.#notices, item, MAX_NOTICES)
  }

  /** Takes an item in that is not dropped for its size: it is the caller's own. */
  extra(item: Extra): void {
    this.#queue(this.#extras, item, MAX_EXTRAS)
  }

  #queue<T>(fifo: Fifo<Placed<T>>, item: T, max: number): void {
    if (this.#closed) return
    this.#order += 1
    fifo.push({ order: this.#order, item })
    if (fifo.size > max) {
      fifo.take()
      this.#dropped += 1
    }
    this.#wake()
  }

  take(): MessageItem | QuotesNotice | Extra | undefined {
    if (this.#dropped > 0) return this.#tellDrops()
    const notice = this.#notices.peek()?.order ?? Number.POSITIVE_INFINITY
    const tick = this.#ticks.fifo.peek()?.order ?? Number.POSITIVE_INFINITY
    const state = this.#states.fifo.peek()?.order ?? Number.POSITIVE_INFINITY
    const extra = this.#extras.peek()?.order ?? Number.POSITIVE_INFINITY
    const message = Math.min(tick, state)
    if (notice < message && notice < extra) return this.#notices.take()?.item
    if (extra < message) return this.#extras.take()?.item
    return this.#takeFrom(tick < state ? this.#ticks : this.#states)
  }

  takeMany(max: number): (MessageItem | QuotesNotice | Extra)[] | undefined {
    const items: (MessageItem | QuotesNotice | Extra)[] = []
    for (let item = this.take(); item !== undefined; item = this.take()) {
      items.push(item)
      if (items.length === max) break
    }
    return items.length === 0 ? undefined : items
  }

  /** Calls once there is an item, or the end. */
  onFilled(callback: () => void): void {
    this.#consumer = callback
    this.#wake()
  }

  /** Waits for an item. @returns `false` at the end. @throws The error given to {@link close}, once. */
  async filled(): Promise<boolean> {
    await new Promise<void>((resolve) => this.onFilled(resolve))
    const failure = this.#failure
    if (this.size > 0 || failure === undefined) return this.size > 0
    this.#failure = undefined
    throw failure.error
  }

  /** No more items; the consumer gets what waits, then the end, or this error. */
  close(failure?: { readonly error: unknown }): void {
    if (this.#closed) return
    this.#closed = true
    this.#failure = failure
    this.#wake()
  }

  /** Closes, and drops what waits. */
  clear(): void {
    this.#notices.clear()
    this.#extras.clear()
    for (const line of [this.#ticks, this.#states]) {
      line.fifo.clear()
      line.bytes = 0
    }
    this.#waiting.clear()
    this.#dropped = 0
    this.#droppedBytes = 0
    this.close()
    this.#failure = undefined
  }

  /** A newer state takes the place of the one that waits. */
  #state(item: MessageItem, symbol: string): void {
    let ofKind = this.#waiting.get(item.kind)
    if (ofKind === undefined) {
      ofKind = new Map()
      this.#waiting.set(item.kind, ofKind)
    }
    const before = ofKind.get(symbol)
    if (before === undefined) {
      ofKind.set(symbol, this.#append(this.#states, item, this.#bounds.maxStateBytes))
      return
    }
    item.replaced = before.item.replaced + 1
    this.#states.bytes += messageBytes(item) - messageBytes(before.item)
    before.item = item
    this.#shorten(this.#states, this.#bounds.maxStateBytes)
  }

  #append(line: Line, item: MessageItem, maxBytes: number): Placed<MessageItem> {
    this.#order += 1
    const placed = { order: this.#order, item }
    line.fifo.push(placed)
    line.bytes += messageBytes(item)
    this.#shorten(line, maxBytes)
    return placed
  }

  /** Drops the oldest, but never the last one: a message that alone is over the bound is delivered. */
  #shorten(line: Line, maxBytes: number): void {
    while (line.bytes > maxBytes && line.fifo.size > 1) {
      const oldest = this.#takeFrom(line)
      if (oldest === undefined) return
      this.#dropped += 1
      this.#droppedBytes += oldest.payload.length
    }
  }

  #takeFrom(line: Line): MessageItem | undefined {
    const placed = line.fifo.take()
    if (placed === undefined) return undefined
    const { item } = placed
    line.bytes -= messageBytes(item)
    if (line === this.#states && item.symbol !== undefined) this.#waiting.get(item.kind)?.delete(item.symbol)
    return item
  }

  #tellDrops(): QuotesNotice {
    const messages = this.#dropped
    const bytes = this.#droppedBytes
    this.#dropped = 0
    this.#droppedBytes = 0
    return { type: 'notice', kind: 'dropped', atMs: this.#now(), messages, bytes }
  }

  #wake(): void {
    const consumer = this.#consumer
    if (consumer === undefined || (this.size === 0 && !this.#closed)) return
    this.#consumer = undefined
    consumer()
  }
}
