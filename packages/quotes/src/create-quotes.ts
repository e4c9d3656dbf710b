/**
 * The market data client of one app key. It takes desired subscriptions, and returns one sequence of messages
 * and notices.
 *
 * Options are read once. No connection is opened before the first `next()`.
 */
import type { AsyncStream, Closable } from '@brokerwire/core'
import {
  type AsyncQueue,
  createAbortController,
  createAsyncStream,
  createReporter,
  type Reporter,
} from '@brokerwire/core/internal'
import type { QuotesBackfill } from './backfill.ts'
import type { ConnectionOutcome } from './connection/machine-types.ts'
import { ConnectionPool } from './connection-pool.ts'
import { BatchStatistics } from './delivery/batch-statistics.ts'
import { ConflatingQueue } from './delivery/conflating-queue.ts'
import { isState, kindFromTopic, MessageItem, type QuotesMessage } from './items/message-items.ts'
import { peekSymbol } from './items/peek-symbol.ts'
import { SlabAllocator } from './items/slab-allocator.ts'
import type { PublishPacket } from './mqtt/packets.ts'
import type { QuotesNotice, QuotesSymbol } from './notices.ts'
import type { QuotesObserver, QuotesSource } from './observer.ts'
import { outcomeError } from './outcome-error.ts'
import { ASYNC_STREAM_ERRORS, QuotesError } from './quotes-error.ts'
import { parseQuotesOptions, type QuotesOptions, type ResolvedQuotesOptions } from './quotes-options.ts'
import {
  type DesiredSubscription,
  type DesiredSubscriptions,
  type QuoteType,
  subscriptionKey,
  typeBits,
  typesFromBits,
  withoutTypes,
  withSelection,
} from './selection/desired-subscriptions.ts'
import {
  parseRemoval,
  parseSelection,
  type QuotesRemoval,
  type QuotesSelection,
} from './selection/parse-selection.ts'
import { serviceNotice } from './service-notice.ts'

/** A value that the `backfill` hook returned after a gap. */
export interface BackfilledItem extends QuotesBackfill {
  /** Distinguishes backfilled values from messages and notices. */
  readonly type: 'backfilled'
  /** Number of the connection that had the gap, from 1. */
  readonly connection: number
  /** Start of the gap, milliseconds since the Unix epoch. */
  readonly fromMs: number
  /** End of the gap, milliseconds since the Unix epoch. */
  readonly toMs: number
  /** Time when the hook returned, milliseconds since the Unix epoch. */
  readonly receivedAtMs: number
}

/** An item: a message, a backfilled value, or a notice. */
export type QuotesItem = QuotesMessage | BackfilledItem | QuotesNotice

/** The desired or confirmed subscription of one symbol. */
export interface QuotesSubscription extends QuotesSymbol {
  /** Types of messages, at least one. */
  readonly types: readonly QuoteType[]
  /** Levels of the order book; `undefined` for the service's default. */
  readonly depth: number | undefined
  /** Whether overnight data is included; `undefined` for the service's default. */
  readonly overnight: boolean | undefined
}

/** The state of one connection. */
export interface QuotesConnectionStatus {
  /** Number of the connection, from 1. */
  readonly connection: number
  /** Phase of the connection; `waiting` is the backoff before the next attempt. */
  readonly phase: 'idle' | 'opening' | 'live' | 'waiting' | 'ended'
  /** Number of the current or last attempt. */
  readonly attempt: number
  /** Number of symbols that are assigned to this connection. */
  readonly desired: number
  /** Number of symbols that the service confirmed. */
  readonly confirmed: number
}

/** A non-empty array of items and notices in the order received. */
export type QuotesBatch<Item> = readonly Item[]

/** An iterator over batches of {@link Quotes}. Its end closes the connections. */
export interface QuotesBatches extends AsyncIterableIterator<QuotesBatch<QuotesItem>> {
  /** Waits for the next batch. */
  next(): Promise<IteratorResult<QuotesBatch<QuotesItem>, undefined>>
  /** Closes every connection with DISCONNECT. */
  return(): Promise<IteratorResult<QuotesBatch<QuotesItem>, undefined>>
  /** Returns this iterator, so that `for await` can read it. */
  [Symbol.asyncIterator](): QuotesBatches
}

/**
 * Market data of one app key. It has a single consumer and is used once: the first `for await`, `batches()`
 * or `next()` determines the consumer. A second consumer gets the error `QUOTES_IN_USE`, and after the end
 * `QUOTES_CLOSED`. `for await` may follow `next()`.
 */
export interface Quotes extends AsyncIterableIterator<QuotesItem>, Closable {
  /** Waits for the next item. The first call opens the connections. */
  next(): Promise<IteratorResult<QuotesItem, undefined>>
  /** Closes every connection with DISCONNECT, which frees their slots at once. */
  return(): Promise<IteratorResult<QuotesItem, undefined>>
  /** Returns this iterator, so that `for await` can read it. */
  [Symbol.asyncIterator](): Quotes
  /**
   * Replaces the whole list of desired subscriptions.
   *
   * @throws QuotesError `QUOTES_OPTION_INVALID`, `QUOTES_TOO_MANY_SYMBOLS`.
   */
  set(selection: QuotesSelection | readonly QuotesSelection[]): void
  /** Adds to the desired subscriptions. @throws QuotesError `QUOTES_OPTION_INVALID`, `QUOTES_TOO_MANY_SYMBOLS`. */
  add(selection: QuotesSelection): void
  /** Removes from the desired subscriptions. @throws QuotesError `QUOTES_OPTION_INVALID`. */
  remove(removal: QuotesRemoval): void
  /** Returns the desired subscriptions, without those that the service rejected. */
  desired(): readonly QuotesSubscription[]
  /** Returns the subscriptions that the service confirmed on live connections. */
  confirmed(): readonly QuotesSubscription[]
  /** Returns the state of each connection that was opened. */
  connections(): readonly QuotesConnectionStatus[]
  /**
   * Returns the time of the last message of each desired symbol, milliseconds since the Unix epoch; `undefined` if none was
   * received. An old time may mean a closed market.
   */
  lastReceived(): ReadonlyMap<string, number | undefined>
  /**
   * Iterates over the same items in arrays. A batch never waits to become full.
   *
   * @param options - `maxItems`: the most items of a batch, 1024 by default.
   * @throws QuotesError `QUOTES_OPTION_INVALID`, `QUOTES_IN_USE`, `QUOTES_CLOSED`.
   */
  batches(options?: { readonly maxItems?: number | undefined }): QuotesBatches
}

/**
 * Creates the market data client of one app key.
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
  return new QuotesStream(parseQuotesOptions(options))
}

const toSubscription = ({
  category,
  symbol,
  types,
  depth,
  overnight,
}: DesiredSubscription): QuotesSubscription => ({
  category,
  symbol,
  types: typesFromBits(types),
  depth,
  overnight,
})

type GapNotice = Extract<QuotesNotice, { readonly kind: 'gap' }>

/** Times of the last message of a symbol: of any kind (`last`), and of each kind. */
type Received = { [Kind in QuotesMessage['kind'] | 'last']?: number }

function quotesClosed(): QuotesError {
  return new QuotesError(
    'QUOTES_CLOSED',
    'quotes must start before its group is closed. Call createQuotes() again with an open group',
    { details: {} },
  )
}

class QuotesStream implements Quotes {
  readonly #options: ResolvedQuotesOptions
  readonly #queue: ConflatingQueue<BackfilledItem>
  readonly #consumer: AsyncStream<QuotesItem>
  readonly #pool: ConnectionPool
  readonly #report: Reporter<QuotesObserver, QuotesSource>
  /** `undefined` if no observer needs it. */
  readonly #statistics: BatchStatistics | undefined
  /**
   * Trades have their own slabs, because `messageSize` counts a slab with the trade at its beginning. If a
   * state were there and was replaced, the slab would no longer be counted.
   */
  readonly #states = new SlabAllocator()
  readonly #trades = new SlabAllocator()
  /** The receive times by symbol, for desired symbols. */
  #received: ReadonlyMap<string, Received> = new Map()
  /** Not the host's AbortController, because a Worker must not create one in its global scope. */
  readonly #abort = createAbortController()
  #desired: DesiredSubscriptions = new Map()
  #started = false
  #dropMs: number | undefined
  /** Removes the consumer from its group. */
  #leaveGroup = (): void => {}

  constructor(options: ResolvedQuotesOptions) {
    this.#options = options
    const { clock, openSocket, address, signal, clientId, observer } = options
    this.#queue = new ConflatingQueue(options.bounds, () => clock.now())
    this.#report = createReporter(observer, { clientId })
    this.#statistics = observer.onQuotesBatch && new BatchStatistics(this.#report, this.#queue)
    this.#pool = new ConnectionPool({
      ...options,
      ports: {
        ...options,
        openSocket: (events) => openSocket(address, events),
        message: (packet, connection, atMs) => this.#onPublish(packet, connection, atMs),
        onBatch: (connection) => this.#statistics?.flush(connection),
        notify: (notice) => this.#notify(notice),
        recentDropMs: () => this.#dropMs,
        onDrop: (atMs) => {
          this.#dropMs = atMs
        },
        onState: (connection, { phase, attempt }) =>
          this.#report('onQuotesState', { connection, phase, attempt }),
        onEnd: (outcome) => this.#end(outcome),
        fail: (error) => this.#fail(error),
      },
    })
    // The type MessageItem does not connect `kind` with the result of `decode()`, but QuotesMessage does.
    const source = this.#queue as AsyncQueue<unknown> as AsyncQueue<QuotesItem>
    this.#consumer = createAsyncStream(
      source,
      {
        signal,
        start: (consumer) => this.#start(consumer),
        stop: () => this.#stop(),
        teardown: async () => this.#leaveGroup(),
      },
      ASYNC_STREAM_ERRORS,
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
    let desired: DesiredSubscriptions = new Map()
    for (const [at, one] of given.entries()) {
      desired = withSelection(
        desired,
        parseSelection(one, Array.isArray(selection) ? `selection[${at}]` : 'selection'),
      )
    }
    this.#setDesired(desired)
  }

  add(selection: QuotesSelection): void {
    this.#setDesired(withSelection(this.#currentDesired(), parseSelection(selection)))
  }

  remove(removal: QuotesRemoval): void {
    const { symbols, category, types } = parseRemoval(removal)
    const keys = symbols.map((symbol) => subscriptionKey(category, symbol))
    this.#setDesired(withoutTypes(this.#currentDesired(), keys, typeBits(types)))
  }

  desired(): readonly QuotesSubscription[] {
    return [...this.#currentDesired().values()].map(toSubscription)
  }

  confirmed(): readonly QuotesSubscription[] {
    return this.#pool.confirmed().map(toSubscription)
  }

  connections(): readonly QuotesConnectionStatus[] {
    return this.#pool.runners.map(({ state }) => ({
      connection: state.connection,
      phase: state.phase,
      attempt: state.attempt,
      desired: state.desired.size,
      confirmed: state.phase === 'live' ? state.confirmed.size : 0,
    }))
  }

  lastReceived(): ReadonlyMap<string, number | undefined> {
    const subscriptions = [...this.#currentDesired().values()]
    return new Map(subscriptions.map(({ symbol }) => [symbol, this.#received.get(symbol)?.last]))
  }

  batches(options: { readonly maxItems?: number | undefined } = {}): QuotesBatches {
    return this.#consumer.batches(options)
  }

  /**
   * Returns the desired subscriptions: after the start, those of the pool, which do not include the rejected
   * ones.
   */
  #currentDesired(): DesiredSubscriptions {
    return this.#started ? this.#pool.desired : this.#desired
  }

  #setDesired(desired: DesiredSubscriptions): void {
    const { maxConnections, symbolsPerConnection } = this.#options
    const max = maxConnections * symbolsPerConnection
    if (desired.size > max) {
      const text = `selection must have at most ${max} symbols (${maxConnections} connections of ${symbolsPerConnection}); received ${desired.size}. Remove symbols, or raise maxConnections if your app key allows more`
      throw new QuotesError('QUOTES_TOO_MANY_SYMBOLS', text, { details: { symbols: desired.size, max } })
    }
    this.#desired = desired
    this.#trackReceived(desired)
    if (this.#started) this.#pool.setDesired(desired)
  }

  /** Keeps the receive times of symbols that are still desired. */
  #trackReceived(desired: DesiredSubscriptions): void {
    const before = this.#received
    this.#received = new Map([...desired.values()].map(({ symbol }) => [symbol, before.get(symbol) ?? {}]))
  }

  #start(consumer: AsyncStream<QuotesItem>): void {
    this.#leaveGroup = this.#options.group?.add(consumer, quotesClosed) ?? this.#leaveGroup
    this.#started = true
    this.#pool.setDesired(this.#desired)
  }

  #stop(): void {
    this.#abort.abort()
    this.#pool.stop()
  }

  #end(outcome: ConnectionOutcome): void {
    const error = outcomeError(outcome)
    // A stopped connection has no error. Nothing else is done for it, because all connections are stopped
    // together.
    if (error !== undefined) this.#fail(error)
  }

  #fail(error: unknown): void {
    this.#queue.close({ error })
    this.#stop()
  }

  #notify(notice: QuotesNotice): void {
    this.#queue.notice(notice)
    this.#report('onQuotesNotice', { notice })
    if (notice.kind === 'gap') void this.#backfill(notice)
  }

  /** @returns Whether the packet is market data and not the service's heartbeat or status. */
  #onPublish(packet: PublishPacket, connection: number, receivedAtMs: number): boolean {
    const { topic, bytes, start, end, duplicate } = packet
    if (topic === 'echo') return false
    if (topic === 'notice') {
      this.#notify(serviceNotice(bytes.subarray(start, end), connection, receivedAtMs))
      return false
    }
    const kind = kindFromTopic(topic)
    const symbol = kind === 'unknown' ? undefined : peekSymbol(bytes, start, end)
    const received = this.#received.get(symbol ?? '')
    if (received !== undefined) received[kind] = received.last = receivedAtMs
    const payload = (isState(kind) ? this.#states : this.#trades).copy(bytes, start, end)
    const item = new MessageItem({ kind, topic, symbol, payload, connection, receivedAtMs, duplicate })
    this.#queue.message(item)
    this.#statistics?.message(item)
    return true
  }

  async #backfill({ connection, fromMs, toMs, symbols: missed }: GapNotice): Promise<void> {
    const { backfill, clock } = this.#options
    if (backfill === undefined) return
    const { desired } = this.#pool
    const symbols = missed.filter(({ category, symbol }) => desired.has(subscriptionKey(category, symbol)))
    if (symbols.length === 0) return
    try {
      const results = await backfill({ symbols, fromMs, toMs, signal: this.#abort.signal })
      const receivedAtMs = clock.now()
      for (const { category, symbol, state, value } of results) {
        // A message that was received since the gap is newer than the value. If the symbol has several
        // categories, the value is delivered anyway, because a message does not show its category.
        const lastMessageMs = state === undefined ? 0 : (this.#received.get(symbol)?.[state] ?? 0)
        const isSymbol = (subscription: DesiredSubscription): boolean => subscription.symbol === symbol
        if (lastMessageMs > toMs && [...this.#pool.desired.values()].filter(isSymbol).length < 2) continue
        this.#queue.pushBackfilled({
          type: 'backfilled',
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
        this.#notify({ type: 'notice', kind: 'backfill-failed', atMs: clock.now(), connection })
    }
  }
}
