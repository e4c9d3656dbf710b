/**
 * One gRPC call over one HTTP/2 stream, from the response headers to the last message.
 *
 * Messages received before an error are delivered before it. Only cancellation by the caller and a deadline take effect at once.
 * Messages are decoded when they are read.
 *
 * The first data in a turn of the event loop wakes the consumer at once. Later data of the same turn wakes it once, at the end of
 * the turn. So a single message is not delayed, and a burst costs two wake-ups.
 */
import {
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2'
import { Code, ConnectError } from '@connectrpc/connect'
import type { ConnectedCall, Http2Connection } from './http2-connection.ts'
import { type Decode, type Decoder, MessageBatch, notesFor } from './message-batch.ts'
import { MessageReader } from './message-reader.ts'
import type { TransportSettings } from './options.ts'
import { batchReceiver, DONE, messageReceiver, type Receiver } from './receiver.ts'
import { afterGoaway, ResponseStatus, type StreamEnd, type Unprocessed } from './response-status.ts'

/** Options of {@link GrpcCall}. */
export interface GrpcCallOptions<T>
  extends Pick<TransportSettings, 'acceptCompression' | 'readMaxBytes' | 'readAheadBytes'> {
  readonly decode: Decode<T>
  /** Called once, at the end of the call, with its error if it failed. */
  readonly onEnd: (error: ConnectError | undefined) => void
}

const {
  NGHTTP2_CANCEL,
  NGHTTP2_FLAG_END_STREAM,
  NGHTTP2_FRAME_SIZE_ERROR,
  NGHTTP2_REFUSED_STREAM,
  NGHTTP2_STREAM_STATE_IDLE,
} = constants
/** Type of a HEADERS frame (RFC 9113, section 6.2). */
const HEADERS_FRAME = 1
/** Largest number of messages in a batch. */
const MAX_BATCH = 1024

/** The response of a call. Iterating reads its messages, and leaving the loop cancels the call. */
export class GrpcCall<T> implements AsyncIterableIterator<T, undefined>, ConnectedCall {
  readonly header: Headers
  readonly trailer: Headers
  /** Set if the server did not process the call, so that it may be sent again. */
  unprocessed: Unprocessed | undefined
  /** Called once at the end of the call, before pending reads resolve. `completed`: the server ended it with the status OK. */
  onFinish: ((completed: boolean) => void) | undefined
  /** Resolves after the response headers; rejects if the call fails before. */
  readonly opened: Promise<void>

  readonly #stream: ClientHttp2Stream
  readonly #connection: Http2Connection
  readonly #receivedBefore: number
  readonly #options: GrpcCallOptions<T>
  readonly #response = new ResponseStatus()
  readonly #reader: MessageReader
  readonly #single: Receiver<IteratorResult<T, undefined>>
  /** Pending reads. */
  readonly #waiters: { readonly receiver: Receiver<unknown>; resolve(result: unknown): void }[] = []
  #open: { resolve(): void; reject(error: unknown): void } | undefined
  #bodyEnded = false
  /** Whether everything was received. The status takes effect after the received messages were delivered. */
  #allReceived = false
  /** Whether the call has ended: everything was delivered, or it failed or was cancelled. */
  #finished = false
  /** An error that no read has returned yet. */
  #undeliveredError: ConnectError | undefined
  #decompressing = false
  #notes: ReturnType<typeof notesFor> | undefined
  #wakeScheduled = false

  constructor(connection: Http2Connection, stream: ClientHttp2Stream, options: GrpcCallOptions<T>) {
    const { decode } = options
    this.#connection = connection
    this.#receivedBefore = connection.received
    this.#stream = stream
    this.#options = options
    this.header = this.#response.header
    this.trailer = this.#response.trailer
    this.#single = messageReceiver(decode)
    this.#reader = new MessageReader(stream, connection, options, this.#response)
    connection.addCall(this)
    this.opened = new Promise((resolve, reject) => {
      this.#open = { resolve, reject }
    })
    stream.on('response', (headers, flags) =>
      this.#onResponse(headers, (flags & NGHTTP2_FLAG_END_STREAM) !== 0),
    )
    stream.on('trailers', (headers) => this.#onTrailers(headers))
    stream.on('data', (chunk: Buffer) => this.#onData(chunk))
    stream.on('end', () => this.#onBodyEnd())
    stream.on('error', (error) => this.#response.streamError(error))
    stream.on('frameError', (type, code) => this.#onNotSent(type, code))
    stream.on('close', () => this.#onClose())
  }

  /** Whether reading is paused, because the consumer is slow. */
  get paused(): boolean {
    return this.#reader.paused
  }

  /** The error of the call, as soon as it is known. */
  get failure(): ConnectError | undefined {
    return this.#response.error
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<T, undefined>> {
    return this.#receive(this.#single)
  }

  /**
   * Waits for a message and returns it with the others that were received: at most `maxMessages` messages, and at most `maxBytes`
   * bytes after the first message. A message that cannot be decoded is the last one of its batch and does not end the call.
   * Internal API.
   *
   * @returns An empty batch at the end of the call.
   */
  nextBatch<M>(decoder: Decoder<M>, maxMessages: number, maxBytes: number): Promise<MessageBatch<M>> {
    this.#notes ??= notesFor(MAX_BATCH)
    const batch = new MessageBatch<M>(decoder, this.#notes)
    return this.#receive(batchReceiver(batch, this.#reader, maxMessages, maxBytes))
  }

  /** Cancels the call and discards the messages that were received. */
  return(): Promise<IteratorReturnResult<undefined>> {
    this.fail(undefined)
    this.#undeliveredError = undefined
    return Promise.resolve(DONE)
  }

  /** Ends the call at once: with an error, or as if all messages had been read. */
  fail(error: ConnectError | undefined): void {
    if (this.#finished) return
    this.#failNextRead(error)
    this.#wake()
  }

  /** Ends the call. The next read rejects with the error, and later reads return the end. */
  #failNextRead(error: ConnectError | undefined): void {
    this.#undeliveredError = error
    this.#finish(error)
  }

  #onResponse(headers: IncomingHttpHeaders & IncomingHttpStatusHeader, isLast: boolean): void {
    if (this.#finished) return
    this.#connection.noteActivity()
    const response = this.#response
    response.receiveHeaders(headers, isLast, this.#options.acceptCompression)
    if (response.error !== undefined) {
      this.fail(response.error)
      return
    }
    this.#open?.resolve()
    this.#open = undefined
  }

  #onTrailers(headers: IncomingHttpHeaders): void {
    if (this.#finished) return
    this.#connection.noteActivity()
    this.#response.receiveTrailers(headers)
    if (this.#bodyEnded) this.#end()
  }

  #onData(chunk: Buffer): void {
    if (this.#finished) return
    if (this.#reader.receive(chunk) && !this.#wakeScheduled) this.#connection.noteActivity()
    if (this.#wakeScheduled || this.#waiters.length === 0) return
    this.#wakeScheduled = true
    setImmediate(() => {
      this.#wakeScheduled = false
      this.#wake()
    })
    this.#wake()
  }

  /** Waits one turn of the event loop for the trailers. */
  #onBodyEnd(): void {
    this.#bodyEnded = true
    if (this.#response.status !== undefined) this.#end()
    else setImmediate(() => this.#end())
  }

  /** Handles the end of the stream. After a lost connection, Node may still have data that it did not emit. */
  #onClose(): void {
    if (this.#finished || this.#allReceived) return
    for (;;) {
      const chunk: Buffer | null = this.#stream.read()
      if (chunk === null) break
      this.#reader.push(chunk)
    }
    if (this.#open !== undefined && this.#stream.rstCode === NGHTTP2_REFUSED_STREAM) this.#onRefused()
    if (!this.#bodyEnded) this.#response.lose(this.#streamEnd())
    this.#end()
  }

  #onRefused(): void {
    // If nothing was received since this stream began, nghttp2 itself refused the stream, because the session
    // had ended.
    const sent = this.#connection.received !== this.#receivedBefore
    if (!sent) this.#connection.drain()
    this.unprocessed ??= { sent, processed: Infinity }
  }

  /**
   * Handles GOAWAY: a stream with a higher id, or not sent yet, was not processed (RFC 9113, section 6.8).
   */
  onGoaway(lastStreamId: number): void {
    if (this.#open === undefined) return
    const { id = 0, state } = this.#stream
    const isWaiting = state?.state === NGHTTP2_STREAM_STATE_IDLE
    this.unprocessed = afterGoaway(id, isWaiting, lastStreamId) ?? this.unprocessed
    // Without this error, the call would wait for the end of all earlier streams.
    if (isWaiting)
      this.fail(new ConnectError('the connection ended before the call was sent', Code.Unavailable))
  }

  /** Handles HEADERS that nghttp2 did not send: they are too long, or the connection accepts no more streams. */
  #onNotSent(type: number, code: number): void {
    if (type !== HEADERS_FRAME) return
    if (code !== NGHTTP2_FRAME_SIZE_ERROR) this.unprocessed = { sent: false, processed: Infinity }
    else this.#response.headersTooLong()
  }

  #streamEnd(): StreamEnd {
    return { resetCode: this.#stream.rstCode ?? 0, connectionError: this.#connection.connectionError }
  }

  #end(): void {
    if (this.#allReceived || this.#finished) return
    this.#allReceived = true
    const status = this.#response.finish(this.#streamEnd())
    if (this.#open === undefined) this.#wake()
    else this.fail(status === 'ok' ? this.#response.withoutStatus() : status)
  }

  #receive<R>(receiver: Receiver<R>): Promise<R> {
    if (this.#waiters.length === 0) {
      const result = this.#take(receiver)
      if (result !== undefined) return Promise.resolve(result)
    }
    return new Promise((resolve) => this.#waiters.push({ receiver, resolve }))
  }

  #wake(): void {
    for (let waiter = this.#waiters[0]; waiter !== undefined; waiter = this.#waiters[0]) {
      const result = this.#take(waiter.receiver)
      if (result === undefined) return
      this.#waiters.shift()
      waiter.resolve(result)
    }
  }

  /**
   * Returns a result; a promise if a message must be decompressed or the call failed; `undefined` if there is
   * no message yet.
   */
  #take<R>(receiver: Receiver<R>): R | Promise<R> | undefined {
    if (this.#finished) return this.#afterEnd(receiver)
    if (this.#decompressing) return undefined
    const reader = this.#reader
    const found = reader.read()
    switch (found) {
      case 'message':
        return this.#decode(receiver, reader.bytes, reader.start, reader.end)
      case 'compressed':
        return this.#decompress(receiver)
      case 'incomplete':
        return this.#allReceived ? this.#settle(receiver) : undefined
      case 'too-long':
        if (receiver.undecodable !== undefined) return receiver.undecodable(reader.skip())
        return this.#conclude(receiver, reader.tooLongError())
      default:
        return this.#conclude(receiver, found)
    }
  }

  #afterEnd<R>(receiver: Receiver<R>): R | Promise<R> {
    const error = this.#undeliveredError
    this.#undeliveredError = undefined
    return error === undefined ? receiver.end : Promise.reject(error)
  }

  #decode<R>(receiver: Receiver<R>, bytes: Buffer, start: number, end: number): R | Promise<R> {
    try {
      return receiver.message(bytes, start, end)
    } catch (error) {
      const reader = this.#reader
      if (receiver.undecodable !== undefined)
        return receiver.undecodable(reader.malformed(error, bytes, start, end))
      return this.#conclude(receiver, reader.decodeError(error))
    }
  }

  async #decompress<R>(receiver: Receiver<R>): Promise<R> {
    this.#decompressing = true
    try {
      const bytes = await this.#reader.decompress()
      if (this.#finished) return await this.#afterEnd(receiver)
      return await this.#decode(receiver, bytes, 0, bytes.length)
    } catch (reason) {
      const error = ConnectError.from(reason, Code.Internal)
      if (receiver.undecodable === undefined || this.#finished) return await this.#conclude(receiver, error)
      return receiver.undecodable(this.#reader.notDecompressed(error))
    } finally {
      this.#decompressing = false
      queueMicrotask(() => this.#wake())
    }
  }

  /** Ends the call after all messages were delivered. */
  #settle<R>(receiver: Receiver<R>): R | Promise<R> {
    const isCut = this.#response.status === 'ok' && this.#reader.isWithinMessage
    return this.#conclude(
      receiver,
      isCut ? this.#reader.error('the body ended within a message') : this.failure,
    )
  }

  /** Ends the call and returns the result of the current read. */
  #conclude<R>(receiver: Receiver<R>, error: ConnectError | undefined): R | Promise<R> {
    this.#finish(error)
    return error === undefined ? receiver.end : Promise.reject(error)
  }

  #finish(error: ConnectError | undefined): void {
    if (this.#finished) return
    this.#finished = true
    this.#reader.clear()
    this.#open?.reject(error ?? new ConnectError('the call was cancelled', Code.Canceled))
    this.#open = undefined
    const stream = this.#stream
    // A call that the server ended with OK needs no reset. The rest of the request is not sent.
    if (!this.#allReceived || this.#response.status !== 'ok') stream.close(NGHTTP2_CANCEL)
    else if (!stream.writableEnded) stream.end()
    stream.resume()
    if (error !== undefined) this.#response.status = error
    this.#connection.removeCall(this)
    this.#options.onEnd(error)
    this.onFinish?.(error === undefined && this.#allReceived)
  }
}
