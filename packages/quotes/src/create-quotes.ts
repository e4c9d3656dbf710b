/**
 * Market data of one app key: what is wanted is declared, and what comes is one line of messages and notices.
 *
 * Options are read once. Nothing is opened before the first `next()`.
 */
import type { Closable, Consumer } from '@brokerwire/core'
import { createConsumer, type ItemSource, notify, ownAbort } from '@brokerwire/core/internal'
import type { ConnectionOutcome } from './connection/machine-types.ts'
import { Outbox } from './delivery/outbox.ts'
import type { QuotesFill } from './fill.ts'
import { Fleet } from './fleet.ts'
import { isState, kindOf, MessageItem, type QuotesMessage } from './items/message-items.ts'
import { PayloadCopies } from './items/payload-copies.ts'
import { peekSymbol } from './items/peek-symbol.ts'
import type { PublishPacket } from './mqtt/packets.ts'
import type { QuotesNotice, QuotesSymbol } from './notices.ts'
import { outcomeError } from './outcome-error.ts'
import { CONSUMER_ERRORS, QuotesError } from './quotes-error.ts'
import { type QuotesOptions, type ReadQuotesOptions, readQuotesOptions } from './quotes-options.ts'
import {
  type QuotesRemoval,
  type QuotesSelection,
  readRemoval,
  readSelection,
} from './selection/read-selection.ts'
import {
  type QuoteType,
  typeBits,
  typesOf,
  type Want,
  type Wants,
  wantKey,
  withoutTypes,
  withSelection,
} from './selection/wants.ts'
import { serviceNotice } from './service-notice.ts'

/** What the `fill` hook found after a gap. */
export interface FilledItem extends QuotesFill {
  readonly type: 'filled'
  readonly connection: number
  /** The gap's bounds, milliseconds since the Unix epoch. */
  readonly fromMs: number
  readonly toMs: number
  readonly receivedAtMs: number
}

/** An item: a message, what was filled in after a gap, or a notice. */
export type QuotesItem = QuotesMessage | FilledItem | QuotesNotice

/** One symbol with what is wanted or confirmed of it. */
export interface QuotesSubscription extends QuotesSymbol {
  readonly types: readonly QuoteType[]
  readonly depth: number | undefined
  readonly overnight: boolean | undefined
}

/** How a connection stands. */
export interface QuotesConnectionStatus {
  /** From 1. */
  readonly connection: number
  readonly phase: 'idle' | 'opening' | 'live' | 'waiting' | 'ended'
  /** Number of the present or last attempt. */
  readonly attempt: number
  readonly wanted: number
  readonly confirmed: number
}

/** Items in the order received, notices in their places; at least one. */
export type QuotesBatch<Item> = readonly Item[]

/** {@link Quotes} in arrays. Leaving it leaves the market data. */
export interface QuotesBatches extends AsyncIterableIterator<QuotesBatch<QuotesItem>> {
  next(): Promise<IteratorResult<QuotesBatch<QuotesItem>, undefined>>
  return(): Promise<IteratorResult<QuotesBatch<QuotesItem>, undefined>>
  [Symbol.asyncIterator](): QuotesBatches
}

/**
 * Market data of one app key. One consumer, one use: the first `for await`, `batches()` or `next()` binds it. A second one
 * throws `QUOTES_IN_USE`, and after the end `QUOTES_CLOSED`. `for await` may follow `next()`.
 */
export interface Quotes extends AsyncIterableIterator<QuotesItem>, Closable {
  next(): Promise<IteratorResult<QuotesItem, undefined>>
  /** Leaves every connection with DISCONNECT, so that their slots are free at once. */
  return(): Promise<IteratorResult<QuotesItem, undefined>>
  [Symbol.asyncIterator](): Quotes
  /**
   * Declares all that is wanted: what was wanted before and is not named is taken away.
   *
   * @throws QuotesError `QUOTES_OPTION_INVALID`, `QUOTES_TOO_MANY_SYMBOLS`.
   */
  set(selection: QuotesSelection | readonly QuotesSelection[]): void
  /** Adds to what is wanted. @throws QuotesError `QUOTES_OPTION_INVALID`, `QUOTES_TOO_MANY_SYMBOLS`. */
  add(selection: QuotesSelection): void
  /** Takes away from what is wanted. @throws QuotesError `QUOTES_OPTION_INVALID`. */
  remove(removal: QuotesRemoval): void
  /** What is wanted: what was declared, without what the service refused. */
  desired(): readonly QuotesSubscription[]
  /** What the service confirmed, over the connections that live. */
  confirmed(): readonly QuotesSubscription[]
  connections(): readonly QuotesConnectionStatus[]
  /**
   * When a message of each wanted symbol last came, milliseconds since the Unix epoch; `undefined` where none did. An old one
   * may mean a closed market.
   */
  lastReceived(): ReadonlyMap<string, number | undefined>
  /**
   * The same items in arrays. Nothing waits to fill one.
   *
   * @param options - `maxItems`: the longest array. Default 1024.
   * @throws QuotesError `QUOTES_OPTION_INVALID`, `QUOTES_IN_USE`, `QUOTES_CLOSED`.
   */
  batches(options?: { readonly maxItems?: number | undefined }): QuotesBatches
}

/**
 * Makes the market data of one app key.
 *
 * @throws QuotesError `QUOTES_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import type { HttpClient } from '@brokerwire/http'
 * import { createQuotes } from '@brokerwire/quotes'
 *
 * declare const http: HttpClient
 *
 * await using quotes = createQuotes({
 *   http,
 *   mqttUrl: 'mqtts://data-api.example.com:1883',
 *   product: { kind: 'server', appKey: 'my-key' },
 * })
 * quotes.set({ symbols: ['AAPL', 'TSLA'], types: ['snapshot'], category: 'US_STOCK' })
 * for await (const item of quotes) {
 *   if (item.type === 'notice') console.log(item.kind)
 *   else if (item.type === 'message' && item.kind === 'snapshot') {
 *     const decoded = item.decode()
 *     if (decoded.ok) console.log(decoded.value.symbol, decoded.value.price)
 *   }
 * }
 * ```
 */
export function createQuotes(options: QuotesOptions): Quotes {
  return new QuotesStream(readQuotesOptions(options))
}

const subscriptionOf = ({ category, symbol, types, depth, overnight }: Want): QuotesSubscription => ({
  category,
  symbol,
  types: typesOf(types),
  depth,
  overnight,
})

type GapNotice = Extract<QuotesNotice, { readonly kind: 'gap' }>

/** When a message of a symbol last came, and one of each kind. */
type Received = { [Kind in QuotesMessage['kind'] | 'last']?: number }

function quotesClosed(): QuotesError {
  return new QuotesError('QUOTES_CLOSED', 'its group was closed: make a new one', { details: {} })
}

class QuotesStream implements Quotes {
  readonly #options: ReadQuotesOptions
  readonly #outbox: Outbox<FilledItem>
  readonly #consumer: Consumer<QuotesItem>
  readonly #fleet: Fleet
  /** Two, because the first trade of an allocation is counted with it: a state before it may be gone. */
  readonly #states = new PayloadCopies()
  readonly #trades = new PayloadCopies()
  /** By symbol, for those that are wanted. */
  #received: ReadonlyMap<string, Received> = new Map()
  /** Not the host's: a Worker may make this one in its global scope. */
  readonly #abort = ownAbort()
  #wanted: Wants = new Map()
  #started = false
  #dropMs: number | undefined
  /** Leaves its group. */
  #forget = (): void => {}

  constructor(options: ReadQuotesOptions) {
    this.#options = options
    const { clock, openSocket, address, signal } = options
    this.#outbox = new Outbox(options.bounds, () => clock.now())
    this.#fleet = new Fleet({
      ...options,
      ports: {
        ...options,
        openSocket: (events) => openSocket(address, events),
        message: (packet, connection, atMs) => this.#take(packet, connection, atMs),
        notify: (notice) => this.#notify(notice),
        recentDropMs: () => this.#dropMs,
        onDrop: (atMs) => {
          this.#dropMs = atMs
        },
        onState: (connection, { phase, attempt }) =>
          notify(() => options.observer?.onState?.({ connection, phase, attempt })),
        onEnd: (outcome) => this.#end(outcome),
        fail: (error) => this.#fail(error),
      },
    })
    // What waits is typed by its kind, which its class cannot say.
    const source = this.#outbox as ItemSource<unknown> as ItemSource<QuotesItem>
    this.#consumer = createConsumer(
      source,
      {
        signal,
        start: (consumer) => this.#start(consumer),
        stop: () => this.#stop(),
        finish: async () => this.#forget(),
      },
      CONSUMER_ERRORS,
    )
  }

  next(): Promise<IteratorResult<QuotesItem, undefined>> {
    return this.#consumer.next()
  }

  return(): Promise<IteratorResult<QuotesItem, undefined>> {
    return this.#consumer.return()
  }

  [Symbol.asyncIterator](): this {
    this.#consumer[Symbol.asyncIterator]()
    return this
  }

  async close(): Promise<void> {
    await this.return()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  set(selection: QuotesSelection | readonly QuotesSelection[]): void {
    const given: readonly QuotesSelection[] = Array.isArray(selection)
      ? selection
      : [selection as QuotesSelection]
    let wanted: Wants = new Map()
    for (const [at, one] of given.entries()) {
      wanted = withSelection(
        wanted,
        readSelection(one, Array.isArray(selection) ? `selection[${at}]` : 'selection'),
      )
    }
    this.#want(wanted)
  }

  add(selection: QuotesSelection): void {
    this.#want(withSelection(this.#present(), readSelection(selection)))
  }

  remove(removal: QuotesRemoval): void {
    const { symbols, category, types } = readRemoval(removal)
    const keys = symbols.map((symbol) => wantKey(category, symbol))
    this.#want(withoutTypes(this.#present(), keys, typeBits(types)))
  }

  desired(): readonly QuotesSubscription[] {
    return [...this.#present().values()].map(subscriptionOf)
  }

  confirmed(): readonly QuotesSubscription[] {
    return this.#fleet.confirmed().map(subscriptionOf)
  }

  connections(): readonly QuotesConnectionStatus[] {
    return this.#fleet.runners.map(({ state }) => ({
      connection: state.connection,
      phase: state.phase,
      attempt: state.attempt,
      wanted: state.wanted.size,
      confirmed: state.phase === 'live' ? state.confirmed.size : 0,
    }))
  }

  lastReceived(): ReadonlyMap<string, number | undefined> {
    const wants = [...this.#present().values()]
    return new Map(wants.map(({ symbol }) => [symbol, this.#received.get(symbol)?.last]))
  }

  batches(options: { readonly maxItems?: number | undefined } = {}): QuotesBatches {
    return this.#consumer.batches(options)
  }

  /** What is wanted now: once begun, the fleet knows what was refused. */
  #present(): Wants {
    return this.#started ? this.#fleet.wanted : this.#wanted
  }

  #want(wanted: Wants): void {
    const { maxConnections, symbolsPerConnection } = this.#options
    const max = maxConnections * symbolsPerConnection
    if (wanted.size > max) {
      const text = `${wanted.size} symbols are more than ${maxConnections} connections of ${symbolsPerConnection} carry`
      throw new QuotesError('QUOTES_TOO_MANY_SYMBOLS', text, { details: { symbols: wanted.size, max } })
    }
    this.#wanted = wanted
    this.#watch(wanted)
    if (this.#started) this.#fleet.want(wanted)
  }

  /** Of these symbols it is known when they last came. */
  #watch(wanted: Wants): void {
    const before = this.#received
    this.#received = new Map([...wanted.values()].map(({ symbol }) => [symbol, before.get(symbol) ?? {}]))
  }

  #start(consumer: Consumer<QuotesItem>): void {
    this.#forget = this.#options.group?.add(consumer, quotesClosed) ?? this.#forget
    this.#started = true
    this.#fleet.want(this.#wanted)
  }

  #stop(): void {
    this.#abort.abort()
    this.#fleet.stop()
  }

  #end(outcome: ConnectionOutcome): void {
    const error = outcomeError(outcome)
    // One connection that was stopped is none of the others' business: all are stopped together.
    if (error !== undefined) this.#fail(error)
  }

  #fail(error: unknown): void {
    this.#outbox.close({ error })
    this.#stop()
  }

  #notify(notice: QuotesNotice): void {
    this.#outbox.notice(notice)
    notify(() => this.#options.observer?.onNotice?.({ notice }))
    if (notice.kind === 'gap') void this.#fill(notice)
  }

  /** @returns Whether it is market data. The service's heartbeat and status are not. */
  #take(packet: PublishPacket, connection: number, receivedAtMs: number): boolean {
    const { topic, bytes, start, end, duplicate } = packet
    if (topic === 'echo') return false
    if (topic === 'notice') {
      this.#notify(serviceNotice(bytes.subarray(start, end), connection, receivedAtMs))
      return false
    }
    const kind = kindOf(topic)
    const symbol = kind === 'unknown' ? undefined : peekSymbol(bytes, start, end)
    const received = this.#received.get(symbol ?? '')
    if (received !== undefined) received[kind] = received.last = receivedAtMs
    const payload = (isState(kind) ? this.#states : this.#trades).copy(bytes, start, end)
    this.#outbox.message(
      new MessageItem({ kind, topic, symbol, payload, connection, receivedAtMs, duplicate }),
    )
    return true
  }

  async #fill({ connection, fromMs, toMs, symbols: back }: GapNotice): Promise<void> {
    const { fill, clock } = this.#options
    if (fill === undefined) return
    const { wanted } = this.#fleet
    const symbols = back.filter(({ category, symbol }) => wanted.has(wantKey(category, symbol)))
    if (symbols.length === 0) return
    try {
      const fills = await fill({ symbols, fromMs, toMs, signal: this.#abort.signal })
      const receivedAtMs = clock.now()
      for (const { category, symbol, state, value } of fills) {
        // What came by itself since then is newer. In which category of several it came no message says.
        const cameMs = state === undefined ? 0 : (this.#received.get(symbol)?.[state] ?? 0)
        const isSymbol = (want: Want): boolean => want.symbol === symbol
        if (cameMs > toMs && [...this.#fleet.wanted.values()].filter(isSymbol).length < 2) continue
        this.#outbox.extra({
          type: 'filled',
          category,
          symbol,
          state,
          value,
          connection,
          fromMs,
          toMs,
          receivedAtMs,
        })
      }
    } catch {
      if (!this.#abort.signal.aborted)
        this.#notify({ type: 'notice', kind: 'fill-failed', atMs: clock.now(), connection })
    }
  }
}
