/**
 * The messages of a request: taken from the caller no faster than the server takes them, and kept until it answers, so
 * that a call which it refused before it looked at it can be sent again.
 */
import type { ClientHttp2Stream } from 'node:http2'
import { leaveIterator } from './call-input.ts'

/** What is kept for that. A request that has grown longer is sent once. */
const MAX_KEPT_BYTES = 1024 * 1024

/** Encodes one message with its envelope. */
export type Encode<T> = (message: T) => Promise<Buffer>

/** Sends one request, over one stream after another where that is asked for. */
export class RequestSender<T> {
  readonly #messages: AsyncIterator<T>
  readonly #single: boolean
  readonly #encode: Encode<T>
  /** By their place in the request: all of them while it can be repeated, afterwards those that are not sent yet. */
  readonly #kept = new Map<number, Buffer>()
  #keptBytes = 0
  /** Whether all that was taken from the caller can be sent once more. */
  repeatable = true
  #taken = 0
  #sent = 0
  #taking: Promise<Buffer | undefined> | undefined
  #left = false

  /** @param single - The request has one message, and ends with it. */
  constructor(messages: AsyncIterable<T>, single: boolean, encode: Encode<T>) {
    this.#messages = messages[Symbol.asyncIterator]()
    this.#single = single
    this.#encode = encode
  }

  /** The server answers: nothing is repeated from now on. */
  stopRepeating(): void {
    this.repeatable = false
    for (const index of this.#kept.keys()) if (index < this.#sent) this.#kept.delete(index)
  }

  /**
   * Sends the request, what an earlier stream was given first.
   *
   * @throws What the messages or their encoding throw. A stream that is over is no error: its own end says more.
   */
  async sendOn(stream: ClientHttp2Stream): Promise<void> {
    this.#sent = 0
    for (;;) {
      const bytes = this.#kept.get(this.#sent) ?? (await this.#next())
      if (isOver(stream)) return
      this.#sent++
      if (!this.repeatable) this.stopRepeating()
      if (bytes === undefined || this.#single) {
        stream.end(bytes)
        return
      }
      if (!stream.write(bytes)) await drained(stream)
      if (isOver(stream)) return
    }
  }

  /** The call is over: whoever makes the messages is told so, with the reason where it failed. */
  leave(reason: unknown): void {
    if (this.#left) return
    this.#left = true
    this.repeatable = false
    this.#kept.clear()
    leaveIterator(this.#messages, reason)
  }

  #next(): Promise<Buffer | undefined> {
    // A stream that is over may still wait for this one: the stream after it waits for the same.
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
    if (this.#keptBytes > MAX_KEPT_BYTES) this.repeatable = false
    return bytes
  }
}

function isOver(stream: ClientHttp2Stream): boolean {
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
