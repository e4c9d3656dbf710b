/**
 * Sends the messages of a request with backpressure. It keeps them until the response begins, so that a call that the server did
 * not process can be sent again.
 */
import type { ClientHttp2Stream } from 'node:http2'
import { cancelIterator } from './call-input.ts'

/** Most bytes that are kept. A longer request is sent only once. */
const MAX_KEPT_BYTES = 1024 * 1024

/** Encodes one message with its envelope. */
export type Encode<T> = (message: T) => Promise<Buffer>

/** The sender of one request, over one stream or, after a retry, over several. */
export class RequestSender<T> {
  readonly #messages: AsyncIterator<T>
  readonly #single: boolean
  readonly #encode: Encode<T>
  /** Encoded messages by their index: all of them until `commit()`, then only those that are not sent yet. */
  readonly #kept = new Map<number, Buffer>()
  #keptBytes = 0
  /** Whether all messages so far can be sent again. */
  canReplay = true
  #taken = 0
  #sent = 0
  #taking: Promise<Buffer | undefined> | undefined
  #cancelled = false

  /** @param single - Whether the request has exactly one message. */
  constructor(messages: AsyncIterable<T>, single: boolean, encode: Encode<T>) {
    this.#messages = messages[Symbol.asyncIterator]()
    this.#single = single
    this.#encode = encode
  }

  /** Called when the response begins. From then on, the request is not sent again. */
  commit(): void {
    this.canReplay = false
    for (const index of this.#kept.keys()) if (index < this.#sent) this.#kept.delete(index)
  }

  /**
   * Sends the request from its first message on.
   *
   * @throws Errors of the messages and of their encoding. If the stream ends first, the function returns
   * without an error.
   */
  async sendOn(stream: ClientHttp2Stream): Promise<void> {
    this.#sent = 0
    for (;;) {
      const bytes = this.#kept.get(this.#sent) ?? (await this.#next())
      if (hasEnded(stream)) return
      this.#sent++
      if (!this.canReplay) this.commit()
      if (bytes === undefined || this.#single) {
        stream.end(bytes)
        return
      }
      if (!stream.write(bytes)) await drained(stream)
      if (hasEnded(stream)) return
    }
  }

  /** Ends the request and cancels the iterator of its messages. @param reason - The error of a failed call. */
  cancel(reason: unknown): void {
    if (this.#cancelled) return
    this.#cancelled = true
    this.canReplay = false
    this.#kept.clear()
    cancelIterator(this.#messages, reason)
  }

  #next(): Promise<Buffer | undefined> {
    // The send over an earlier stream may still wait for this message. Both sends get it.
    this.#taking ??= this.#take().finally(() => {
      this.#taking = undefined
    })
    return this.#taking
  }

  async #take(): Promise<Buffer | undefined> {
    const result = await this.#messages.next()
    if (result.done === true) return undefined
    const bytes = await this.#encode(result.value)
    this.#kept.set(this.#taken, bytes)
    this.#taken += 1
    this.#keptBytes += bytes.length
    if (this.#keptBytes > MAX_KEPT_BYTES) this.canReplay = false
    return bytes
  }
}

function hasEnded(stream: ClientHttp2Stream): boolean {
  return stream.closed || stream.destroyed || stream.writableEnded
}

function drained(stream: ClientHttp2Stream): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done)
      stream.off('close', done)
      resolve()
    }
    stream.once('drain', done)
    stream.once('close', done)
  })
}
