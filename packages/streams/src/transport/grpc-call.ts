/**
 * One gRPC call over one HTTP/2 stream, from the response's head to the last message.
 *
 * What was received is never lost: messages that came before an error are delivered before it. Only the caller's own
 * cancellation, and a deadline, take effect at once. Messages are decoded when they are asked for.
 *
 * A waiting consumer is woken at once for the first data of a turn of the event loop, and for what follows in the
 * same turn together, at its end: a lone message is not delayed, and a burst costs one wake-up.
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

export interface GrpcCallOptions<T>
  extends Pick<TransportSettings, 'acceptCompression' | 'readMaxBytes' | 'readAheadBytes'> {
  readonly decode: Decode<T>
  /** Called once, when the call is over: with the error, or without one. */
  readonly onEnd: (error: ConnectError | undefined) => void
}

const {
  NGHTTP2_CANCEL,
  NGHTTP2_FLAG_END_STREAM,
  NGHTTP2_FRAME_SIZE_ERROR,
  NGHTTP2_REFUSED_STREAM,
  NGHTTP2_STREAM_STATE_IDLE,
} = constants
/** RFC 9113, section 6.2. */
const HEADERS_FRAME = 1
/** Most messages of a batch. */
const MAX_BATCH = 1024

/** The response of a call; iterating takes its messages, leaving the loop cancels it. */
export class GrpcCall<T> implements AsyncIterableIterator<T, undefined>, ConnectedCall {
  readonly header: Headers
  readonly trailer: Headers
  /** Set if the server did not process this call: it may be sent again. */
  unprocessed: Unprocessed | undefined
  /** Called once, as the call ends, before waiting consumers. `completed` if the server ended it with success. */
  onOver: ((completed: boolean) => void) | undefined
  /** Resolves at the response's head; rejects if the call fails before. */
  readonly opened: Promise<void>

  readonly #stream: ClientHttp2Stream
  readonly #connection: Http2Connection
  readonly #receivedBefore: number
  readonly #options: GrpcCallOptions<T>
  readonly #response = new ResponseStatus()
  readonly #reader: MessageReader
  readonly #single: Receiver<IteratorResult<T, undefined>>
  /** Reads that wait. */
  readonly #waiters: { readonly receiver: Receiver<unknown>; resolve(result: unknown): void }[] = []
  #open: { resolve(): void; reject(error: unknown): void } | undefined
  #bodyEnded = false
  /** Nothing more is received: the status is final once what was received is delivered. */
  #ended = false
  /** Nothing more is delivered. */
  #over = false
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
    connection.enter(this)
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

  /** Whether reading is paused, because enough waits for the consumer. */
  get paused(): boolean {
    return this.#reader.paused
  }

  /** Why the call failed, as soon as that is known. */
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
   * Waits for a message and takes what else was received: at most `maxMessages`, and at most `maxBytes` beyond the first
   * message, which is always taken. A message that cannot be decoded is the last of a batch and does not end the call. Internal API: one wake-up
   * delivers a whole chunk.
   *
   * @returns An empty batch at the end.
   */
  nextBatch<M>(decoder: Decoder<M>, maxMessages: number, maxBytes: number): Promise<MessageBatch<M>> {
    this.#notes ??= notesFor(MAX_BATCH)
    const batch = new MessageBatch<M>(decoder, this.#notes)
    return this.#receive(batchReceiver(batch, this.#reader, maxMessages, maxBytes))
  }

  /** Cancels the call, if it is not over, and drops what was received. */
  return(): Promise<IteratorReturnResult<undefined>> {
    this.fail(undefined)
    this.#undeliveredError = undefined
    return Promise.resolve(DONE)
  }

  /** Ends the call at once: with this error, or as if it had been read to its end. */
  fail(error: ConnectError | undefined): void {
    if (this.#over) return
    this.#failNextRead(error)
    this.#wake()
  }

  /** Ends the call. The next read gets the error; those after it are past the end. */
  #failNextRead(error: ConnectError | undefined): void {
    this.#undeliveredError = error
    this.#finish(error)
  }

  #onResponse(headers: IncomingHttpHeaders & IncomingHttpStatusHeader, isLast: boolean): void {
    if (this.#over) return
    this.#connection.noteData()
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
    if (this.#over) return
    this.#connection.noteData()
    this.#response.receiveTrailers(headers)
    if (this.#bodyEnded) this.#end()
  }

  #onData(chunk: Buffer): void {
    if (this.#over) return
    if (this.#reader.receive(chunk) && !this.#wakeScheduled) this.#connection.noteData()
    if (this.#wakeScheduled || this.#waiters.length === 0) return
    this.#wakeScheduled = true
    setImmediate(() => {
      this.#wakeScheduled = false
      this.#wake()
    })
    this.#wake()
  }

  /** Node reports trailers in a later turn. */
  #onBodyEnd(): void {
    this.#bodyEnded = true
    if (this.#response.status !== undefined) this.#end()
    else setImmediate(() => this.#end())
  }

  /** After this, nothing more is received; with a lost connection, what Node still holds is taken first. */
  #onClose(): void {
    if (this.#over || this.#ended) return
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
    // A session that nghttp2 has ended refuses streams by itself, and nothing was received since this one began.
    const sent = this.#connection.received !== this.#receivedBefore
    if (!sent) this.#connection.retire()
    this.unprocessed ??= { sent, processed: Infinity }
  }

  /** RFC 9113, section 6.8: a stream with a higher number was not processed, nor was one that was not sent yet. */
  onGoaway(lastStreamId: number): void {
    if (this.#open === undefined) return
    const { id = 0, state } = this.#stream
    const waits = state?.state === NGHTTP2_STREAM_STATE_IDLE
    this.unprocessed = afterGoaway(id, waits, lastStreamId) ?? this.unprocessed
    // Nothing else ends it: it would wait until the last stream before it is over.
    if (waits) this.fail(new ConnectError('the connection ended before the call was sent', Code.Unavailable))
  }

  /** Only HEADERS are ever refused by nghttp2: for their length, or because the connection takes no more streams. */
  #onNotSent(type: number, code: number): void {
    if (type !== HEADERS_FRAME) return
    if (code !== NGHTTP2_FRAME_SIZE_ERROR) this.unprocessed = { sent: false, processed: Infinity }
    else this.#response.headersTooLong()
  }

  #streamEnd(): StreamEnd {
    return { resetCode: this.#stream.rstCode ?? 0, connectionError: this.#connection.lost }
  }

  #end(): void {
    if (this.#ended || this.#over) return
    this.#ended = true
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

  /** Returns a result, a promise of one that takes its time or failed, or nothing if there is no message yet. */
  #take<R>(receiver: Receiver<R>): R | Promise<R> | undefined {
    if (this.#over) return this.#afterEnd(receiver)
    if (this.#decompressing) return undefined
    const reader = this.#reader
    const found = reader.read()
    switch (found) {
      case 'message':
        return this.#decode(receiver, reader.bytes, reader.start, reader.end)
      case 'compressed':
        return this.#decompress(receiver)
      case 'incomplete':
        return this.#ended ? this.#settle(receiver) : undefined
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
      if (this.#over) return await this.#afterEnd(receiver)
      return await this.#decode(receiver, bytes, 0, bytes.length)
    } catch (reason) {
      const error = ConnectError.from(reason, Code.Internal)
      if (receiver.undecodable === undefined || this.#over) return await this.#conclude(receiver, error)
      return receiver.undecodable(this.#reader.notDecompressed(error))
    } finally {
      this.#decompressing = false
      queueMicrotask(() => this.#wake())
    }
  }

  /** All messages were delivered. */
  #settle<R>(receiver: Receiver<R>): R | Promise<R> {
    const isCut = this.#response.status === 'ok' && this.#reader.isWithinMessage
    return this.#conclude(
      receiver,
      isCut ? this.#reader.error('the body ended within a message') : this.failure,
    )
  }

  /** Ends the call, and reports how to the read under way. */
  #conclude<R>(receiver: Receiver<R>, error: ConnectError | undefined): R | Promise<R> {
    this.#finish(error)
    return error === undefined ? receiver.end : Promise.reject(error)
  }

  #finish(error: ConnectError | undefined): void {
    if (this.#over) return
    this.#over = true
    this.#reader.clear()
    this.#open?.reject(error ?? new ConnectError('the call was left', Code.Canceled))
    this.#open = undefined
    const stream = this.#stream
    // A call that the server has ended needs no reset; what is left of ours to send is not wanted any more.
    if (!this.#ended || this.#response.status !== 'ok') stream.close(NGHTTP2_CANCEL)
    else if (!stream.writableEnded) stream.end()
    stream.resume()
    if (error !== undefined) this.#response.status = error
    this.#connection.leave(this)
    this.#options.onEnd(error)
    this.onOver?.(error === undefined && this.#ended)
  }
}
