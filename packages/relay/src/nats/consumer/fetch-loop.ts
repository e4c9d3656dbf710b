/**
 * Fetches messages into the bounded buffer of a reader. A fetch requests half of the buffer, and the next one
 * starts when half of these messages were taken. A server responds to requests in their order, so no message
 * is missing between two fetches.
 *
 * While the reader is busy, only that next fetch is made. So if several processes share a consumer, the other
 * processes get the messages.
 */
import type { ConsumerMessages, FetchOptions, JsMsg } from '@nats-io/jetstream'
import { MAX_SUPPORTED_PAYLOAD } from '../api/jetstream-api.ts'

/** Callbacks of a fetch loop. */
export interface FetchLoopPort {
  /** Prepares a fetch. Opens the consumer first if it is not open. */
  fetch(options: FetchOptions): Promise<ConsumerMessages>
  /** Called before the messages of a fetch are read. @param request - Sends the fetch, and returns its first message. */
  onFetch(request: () => Promise<IteratorResult<JsMsg>>): Promise<void>
  /** Whether the reader waits for a message. */
  isAwaited(): boolean
  /** The number of messages that wait for the reader. */
  waiting(): number
  /**
   * Called when a message arrived.
   *
   * @param data - The body of the message. It is passed, because the client creates another view at each
   * access.
   */
  receive(message: JsMsg, data: Uint8Array): void
  /** Called when a fetch ended without a message. @throws An error that ends the loop. */
  onIdle(): void
  /**
   * Called when a fetch failed. The loop continues when the promise resolves.
   *
   * @throws An error that ends the loop.
   */
  onError(error: unknown): Promise<void>
}

export interface FetchLoopOptions {
  readonly maxItems: number
  readonly maxBytes: number
  /** How long a fetch waits for messages. */
  readonly expiresMs: number
  /**
   * The longest message that the server accepts, if it is known. It may change when another server is
   * connected.
   */
  readonly maxPayload: () => number | undefined
  readonly signal: AbortSignal
}

interface Fetch {
  readonly messages: ConsumerMessages
  /** The number of requested messages. */
  readonly size: number
  received: number
}

export class FetchLoop {
  readonly #port: FetchLoopPort
  readonly #options: FetchLoopOptions
  /** The last fetch that was read, which may have ended. */
  #current: Fetch | undefined
  /** The fetch after the current one. */
  #next: Promise<Fetch> | undefined
  /**
   * The number of messages of the current fetch that were taken. It is negative while messages of the fetch
   * before it wait.
   */
  #taken = 0
  #longestBytes = 0
  #resume = (): void => {}

  constructor(port: FetchLoopPort, options: FetchLoopOptions) {
    this.#port = port
    this.#options = options
  }

  /** Runs until the signal aborts. @throws The error that ended the loop. */
  async run(): Promise<void> {
    const { signal } = this.#options
    while (!signal.aborted) {
      try {
        const fetch = await this.#nextFetch()
        if (fetch !== undefined) await this.#read(fetch)
      } catch (error) {
        this.close()
        if (signal.aborted) return
        await this.#port.onError(error)
      }
    }
  }

  /** Continues the loop. Called when the reader waits for a message, and when the signal has aborted. */
  wake(): void {
    this.#resume()
  }

  /** Called when a message was taken from the queue, or was not put into it. */
  onTaken(): void {
    this.#taken += 1
    const current = this.#current
    if (current === undefined || this.#next !== undefined || this.#taken * 2 < current.size) return
    if (this.#capacity() <= current.size || this.#options.signal.aborted) return
    this.#next = this.#fetch()
    // An error of this fetch is handled when the loop reads the fetch.
    this.#next.catch(() => {})
    this.#resume()
  }

  /** Ends the fetches. The loop starts new ones unless the signal has aborted. */
  close(): void {
    void this.#current?.messages.close()
    this.#next?.then(
      ({ messages }) => void messages.close(),
      () => {},
    )
    this.#current = undefined
    this.#next = undefined
  }

  async #nextFetch(): Promise<Fetch | undefined> {
    if (this.#next === undefined && !this.#port.isAwaited())
      await new Promise<void>((resolve) => {
        this.#resume = resolve
      })
    if (this.#options.signal.aborted) return undefined
    const next = this.#next ?? (this.#port.isAwaited() ? this.#fetch() : undefined)
    this.#next = undefined
    return next
  }

  async #read(fetch: Fetch): Promise<void> {
    this.#current = fetch
    const iterator = fetch.messages[Symbol.asyncIterator]()
    let next: Promise<IteratorResult<JsMsg>> | undefined
    // The client sends the request when its first message is requested.
    const request = (): Promise<IteratorResult<JsMsg>> => {
      next = iterator.next()
      // An error of this promise is thrown below.
      next.catch(() => {})
      return next
    }
    await this.#port.onFetch(request)
    this.#taken = -this.#port.waiting()
    for (;;) {
      const { done, value: message } = await (next ?? iterator.next())
      next = undefined
      if (done === true) break
      // The fetch was closed because of an error. After the signal has aborted, all its messages are
      // received, so that they can be rejected (NAK).
      if (this.#current !== fetch && !this.#options.signal.aborted) return
      const { data } = message
      this.#longestBytes = Math.max(this.#longestBytes, data.length)
      fetch.received += 1
      this.#port.receive(message, data)
    }
    if (this.#current === fetch && fetch.received === 0) this.#port.onIdle()
  }

  /** Returns the number of messages that the buffer has space for, for both fetches together. */
  #capacity(): number {
    const { maxItems, maxBytes, maxPayload } = this.#options
    // Bytes are limited here, because a limit of bytes in the request makes the client wait for 30 s at the
    // end of each fetch.
    const longest = Math.max(this.#longestBytes, maxPayload() ?? MAX_SUPPORTED_PAYLOAD)
    return Math.min(maxItems, Math.max(1, Math.floor(maxBytes / longest)))
  }

  async #fetch(): Promise<Fetch> {
    const { expiresMs, signal } = this.#options
    const size = Math.ceil(this.#capacity() / 2)
    const messages = await this.#port.fetch({ max_messages: size, expires: expiresMs })
    if (signal.aborted) {
      void messages.close()
      signal.throwIfAborted()
    }
    return { messages, size, received: 0 }
  }
}
