/**
 * Sends the events of one upstream stream to many pages, as Server-Sent Events.
 *
 * A page has no buffer. All pages share one log with a limit in bytes, and each page gets its next entry when
 * its socket can accept it. A page that is behind by more than half of this limit is disconnected. Its
 * EventSource connects again with the id of the last event that it received, and the page continues there. If
 * the log no longer has that position, the page first gets a `gap` event.
 */
import { randomUUID } from 'node:crypto'

/** An event for pages. An event without an account is for every page. */
export interface FeedEvent {
  readonly name: 'order' | 'gap'
  readonly account?: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A page that connects. */
export interface PageRequest {
  /** The accounts whose events the page may receive. */
  readonly accounts: ReadonlySet<string>
  /** Closes the connection immediately. Data that was not sent yet is discarded. */
  readonly lastEventId: string | undefined
  /** Closes the connection immediately, with everything that it has not sent yet. */
  readonly disconnect: () => void
}

export interface FeedOptions {
  /**
   * Opens the stream. After the last page has disconnected, the signal is aborted, and must close the stream.
   */
  readonly open: (signal: AbortSignal) => AsyncIterable<FeedEvent>
  /**
   * Called if the stream fails. All pages are disconnected then. When a page reconnects, the stream is opened
   * again.
   */
  readonly onError: (error: unknown) => void
  readonly logBytes?: number
  readonly maxPages?: number
  /**
   * Milliseconds from the disconnection of the last page until the stream closes. A page that reconnects
   * within this time misses no event.
   */
  readonly lingerMs?: number
  readonly heartbeatMs?: number
  /**
   * Maximum duration of a connection in milliseconds. When the page reconnects, its user is authenticated
   * again.
   */
  readonly maxConnectionMs?: number
}

interface Entry {
  readonly seq: number
  readonly account: string | undefined
  readonly frame: Uint8Array
  /** Number of bytes of all entries since the stream was opened, up to and including this entry. */
  readonly endBytes: number
}

interface Page {
  readonly accounts: ReadonlySet<string>
  /** Number of the last entry that was sent to the page or skipped. */
  seq: number
  endBytes: number
  /** Sends bytes to the page. Set only while the page waits for an entry. */
  send: ((bytes: Uint8Array) => void) | undefined
  readonly disconnect: () => void
}

/** Memory of an entry in addition to its frame, in bytes. */
const ENTRY_BYTES = 200
/** Milliseconds after which EventSource connects again. */
const RETRY_MS = 2000

const encoder = new TextEncoder()
const frameOf = (id: string, { name, data }: FeedEvent): string =>
  `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`

export class EventFeed {
  readonly #options: Required<FeedOptions>
  readonly #pages = new Set<Page>()
  #upstream: AbortController | undefined
  #lingering: NodeJS.Timeout | undefined
  /**
   * The first part of every id. Each opened stream gets a new one, because events between two streams may
   * have been missed.
   */
  #epoch = ''
  #log: Entry[] = []
  #seq = 0
  #endBytes = 0

  constructor(options: FeedOptions) {
    this.#options = {
      logBytes: 1024 * 1024,
      maxPages: 200,
      lingerMs: 30_000,
      heartbeatMs: 15_000,
      maxConnectionMs: 10 * 60_000,
      ...options,
    }
  }

  /** The number of connected pages. */
  get pages(): number {
    return this.#pages.size
  }

  /**
   * Connects a page.
   *
   * @returns The body of the response to the page; `undefined` if there are too many pages.
   */
  connect({ accounts, lastEventId, disconnect }: PageRequest): ReadableStream<Uint8Array> | undefined {
    const { maxPages, heartbeatMs, maxConnectionMs } = this.#options
    if (this.#pages.size >= maxPages) return undefined
    clearTimeout(this.#lingering)
    if (this.#upstream === undefined) this.#open()

    const resumed = this.#entryOf(lastEventId)
    const { seq, endBytes } = resumed ?? { seq: this.#seq, endBytes: this.#endBytes }
    const id = `${this.#epoch}.${seq}`
    const reason = lastEventId === undefined ? 'start' : 'too-old'
    const first = resumed ? `id: ${id}\n\n` : frameOf(id, { name: 'gap', data: { reason } })

    let page: Page
    const timers: NodeJS.Timeout[] = []
    const leave = (): void => {
      for (const timer of timers) clearTimeout(timer)
      if (this.#pages.delete(page) && this.#pages.size === 0) this.#linger()
    }
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        page = { accounts, seq, endBytes, send: undefined, disconnect }
        this.#pages.add(page)
        // Heartbeats are sent because a proxy may close an idle connection. The id of a heartbeat updates the
        // position of a page that receives no events.
        const beat = (): void =>
          page.send?.(encoder.encode(`: heartbeat\nid: ${this.#epoch}.${page.seq}\n\n`))
        timers.push(setInterval(beat, heartbeatMs), setTimeout(disconnect, maxConnectionMs))
        controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n${first}`))
      },
      pull: (controller) => {
        page.send = (bytes) => {
          page.send = undefined
          controller.enqueue(bytes)
        }
        this.#sendNext(page)
      },
      cancel: leave,
    })
  }

  /** Closes the stream and all connections. */
  close(): void {
    clearTimeout(this.#lingering)
    this.#upstream?.abort()
    this.#upstream = undefined
    for (const page of this.#pages) page.disconnect()
    this.#pages.clear()
  }

  #open(): void {
    const upstream = new AbortController()
    this.#upstream = upstream
    this.#epoch = randomUUID().slice(0, 8)
    this.#log = []
    this.#seq = 0
    this.#endBytes = 0
    const read = async (): Promise<void> => {
      for await (const event of this.#options.open(upstream.signal)) this.#append(event)
    }
    read()
      .catch((error: unknown) => upstream.signal.aborted || this.#options.onError(error))
      .finally(() => this.#upstream === upstream && this.close())
  }

  #linger(): void {
    this.#lingering = setTimeout(() => this.close(), this.#options.lingerMs).unref()
  }

  #append(event: FeedEvent): void {
    const { logBytes } = this.#options
    this.#seq += 1
    const frame = encoder.encode(frameOf(`${this.#epoch}.${this.#seq}`, event))
    this.#endBytes += frame.length + ENTRY_BYTES
    this.#log.push({ seq: this.#seq, account: event.account, frame, endBytes: this.#endBytes })
    while (this.#endBytes - (this.#log[0]?.endBytes ?? this.#endBytes) > logBytes) this.#log.shift()
    for (const page of this.#pages) {
      this.#sendNext(page)
      if (this.#endBytes - page.endBytes > logBytes / 2) page.disconnect()
    }
  }

  /** Sends the next entry to a page that waits for one. Skips entries that the page may not receive. */
  #sendNext(page: Page): void {
    while (page.send !== undefined) {
      const [first] = this.#log
      const next = first && this.#log[page.seq + 1 - first.seq]
      if (next === undefined) return
      page.seq = next.seq
      page.endBytes = next.endBytes
      if (next.account === undefined || page.accounts.has(next.account)) page.send(next.frame)
    }
  }

  /**
   * Finds the entry with an id. Returns `undefined` if the log no longer has it, because entries after it may
   * be missing too.
   */
  #entryOf(id: string | undefined): Pick<Entry, 'seq' | 'endBytes'> | undefined {
    const [, epoch, seq] = /^(\w+)\.(\d{1,15})$/.exec(id ?? '') ?? []
    const [first] = this.#log
    if (epoch !== this.#epoch) return undefined
    if (Number(seq) === 0 && (first === undefined || first.seq === 1)) return { seq: 0, endBytes: 0 }
    return first && this.#log[Number(seq) - first.seq]
  }
}
