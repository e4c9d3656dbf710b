/**
 * What was received and not yet taken. Nothing is ever held back on the connection: the service would push into its own
 * buffers, and a slow reader would see old prices.
 *
 * So a state (snapshot, quote) of a symbol waits once, in its latest form and in the place of the first one that waited: a slow
 * reader sees every symbol in turn, fresh. Trades wait in a queue that is bounded in bytes; the oldest are dropped, counted,
 * and told before the next item.
 */
import { Fifo, ItemSource } from '@brokerwire/core/internal'
import { isState, type MessageItem, messageBytes } from '../items/message-items.ts'
import type { QuotesNotice } from '../notices.ts'

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
  order: number
  item: T
}

/** Messages in one line, bounded. */
class Line {
  readonly fifo = new Fifo<Placed<MessageItem | undefined>>()
  bytes = 0
}

/** Places of symbols at which nothing waits are forgotten beyond that: whoever pushes may invent symbols. */
const MAX_EMPTY_PLACES = 4096

/** The places of the states of one kind, by symbol: kept while they are empty, because the next state of the symbol is on its way. */
class Places {
  readonly #bySymbol = new Map<string, Placed<MessageItem | undefined>>()
  #sweepAt = MAX_EMPTY_PLACES

  of(symbol: string): Placed<MessageItem | undefined> {
    const known = this.#bySymbol.get(symbol)
    if (known !== undefined) return known
    if (this.#bySymbol.size >= this.#sweepAt) this.#sweep()
    const place = { order: 0, item: undefined }
    this.#bySymbol.set(symbol, place)
    return place
  }

  #sweep(): void {
    for (const [symbol, { item }] of this.#bySymbol) if (item === undefined) this.#bySymbol.delete(symbol)
    this.#sweepAt = 2 * this.#bySymbol.size + MAX_EMPTY_PLACES
  }
}

/** One producer, one consumer. @typeParam Extra - Items beside messages and notices: they wait as trades do. */
export class Outbox<Extra extends object = never> extends ItemSource<MessageItem | QuotesNotice | Extra> {
  readonly #bounds: OutboxBounds
  readonly #now: () => number
  readonly #notices = new Fifo<Placed<QuotesNotice>>()
  readonly #extras = new Fifo<Placed<Extra>>()
  readonly #ticks = new Line()
  readonly #states = new Line()
  /** Of each kind of state. */
  readonly #places = new Map<string, Places>()
  #order = 0
  #dropped = 0
  #droppedBytes = 0

  /** @param now - When drops are told of. */
  constructor(bounds: OutboxBounds, now: () => number) {
    super()
    this.#bounds = bounds
    this.#now = now
  }

  /** Items that wait, notices among them. */
  override get size(): number {
    const messages = this.#ticks.fifo.size + this.#states.fifo.size
    return messages + this.#notices.size + this.#extras.size + (this.#dropped > 0 ? 1 : 0)
  }

  /** What messages hold that wait. */
  get bytes(): number {
    return this.#ticks.bytes + this.#states.bytes
  }

  /** Takes a message in. Ignored once closed. */
  message(item: MessageItem): void {
    if (this.closed) return
    if (!isState(item.kind) || item.symbol === undefined)
      this.#append(this.#ticks, { order: 0, item }, item, this.#bounds.maxTickBytes)
    else this.#state(item, item.symbol)
    this.wake()
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
    if (this.closed) return
    this.#order += 1
    fifo.push({ order: this.#order, item })
    if (fifo.size > max) {
      fifo.take()
      this.#dropped += 1
    }
    this.wake()
  }

  override take(): MessageItem | QuotesNotice | Extra | undefined {
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

  override clear(): void {
    this.#notices.clear()
    this.#extras.clear()
    for (const line of [this.#ticks, this.#states]) {
      line.fifo.clear()
      line.bytes = 0
    }
    this.#places.clear()
    this.#dropped = 0
    this.#droppedBytes = 0
    super.clear()
  }

  /** A newer state takes the place of the one that waits. */
  #state(item: MessageItem, symbol: string): void {
    let ofKind = this.#places.get(item.kind)
    if (ofKind === undefined) {
      ofKind = new Places()
      this.#places.set(item.kind, ofKind)
    }
    const place = ofKind.of(symbol)
    const before = place.item
    place.item = item
    if (before === undefined) {
      this.#append(this.#states, place, item, this.#bounds.maxStateBytes)
      return
    }
    item.replaced = before.replaced + 1
    this.#states.bytes += messageBytes(item) - messageBytes(before)
    this.#shorten(this.#states, this.#bounds.maxStateBytes)
  }

  #append(line: Line, place: Placed<MessageItem | undefined>, item: MessageItem, maxBytes: number): void {
    this.#order += 1
    place.order = this.#order
    line.fifo.push(place)
    line.bytes += messageBytes(item)
    this.#shorten(line, maxBytes)
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
    const place = line.fifo.take()
    const item = place?.item
    if (place === undefined || item === undefined) return undefined
    line.bytes -= messageBytes(item)
    place.item = undefined
    return item
  }

  #tellDrops(): QuotesNotice {
    const messages = this.#dropped
    const bytes = this.#droppedBytes
    this.#dropped = 0
    this.#droppedBytes = 0
    return { type: 'notice', kind: 'dropped', atMs: this.#now(), messages, bytes }
  }
}
