/**
 * One gRPC call over one HTTP/2 stream, from the response's head to the last message.
 *
 * What was received is never lost: messages that came before an error are handed out before it. Only the caller's own
 * cancellation, and a deadline, take effect at once. Messages are decoded when they are asked for.
 *
 * A consumer that waits is woken for the first data of a turn of the event loop at once, and for what follows in the
 * same turn together, at its end: a lone message is not delayed, and a burst costs one wake-up.
 */
import {
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Compression } from '@connectrpc/connect/protocol'
import { EnvelopeReader } from './envelope-reader.ts'
import { contentTypeError, errorWithoutStatus, quoted, readGrpcStatus, resetError } from './grpc-status.ts'
import type { ConnectedCall, Http2Connection } from './http2-connection.ts'
import { type Decode, type Decoder, MessageBatch, roomFor } from './message-batch.ts'
import type { TransportSettings } from './options.ts'

export interface GrpcCallOptions<T>
  extends Pick<TransportSettings, 'acceptCompression' | 'readMaxBytes' | 'readAheadBytes'> {
  readonly decode: Decode<T>
  /** Called once, when the call is over: with the error, or without one. */
  readonly onEnd: (error: ConnectError | undefined) => void
}

export interface Refusal {
  /** Whether the server may have seen it. */
  readonly sent: boolean
  /** How many calls the server processed on the connection. */
  readonly processed: number
}

/** A result that is there, or one that takes its time or failed. */
type Taken<T> = IteratorResult<T, undefined> | Promise<IteratorResult<T, undefined>>

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined }
const IN_BATCH: IteratorYieldResult<never> = { done: false, value: undefined as never }
const {
  NGHTTP2_CANCEL,
  NGHTTP2_FLAG_END_STREAM,
  NGHTTP2_FRAME_SIZE_ERROR,
  NGHTTP2_REFUSED_STREAM,
  NGHTTP2_STREAM_STATE_IDLE,
} = constants
/** RFC 9113, section 6.2. */
const HEADERS_FRAME = 1
/** Messages that are handed on together, at the most. */
const MAX_BATCH = 1024

/** The response of a call; iterating takes its messages, leaving the loop cancels it. */
export class GrpcCall<T> implements AsyncIterableIterator<T, undefined>, ConnectedCall {
  readonly header: Headers = new Headers()
  readonly trailer: Headers = new Headers()
  /** Set where the server did not look at this call, or never saw it: it may be sent again. */
  refusal: Refusal | undefined
  /** Whether reading is held back, because enough waits for the consumer. */
  held = false
  /** Called once, as the call ends: before whoever waits hears of it. `completed` where the server ended it well. */
  onOver: ((completed: boolean) => void) | undefined
  /** Resolves at the response's head; rejects where the call fails before. */
  readonly opened: Promise<void>

  readonly #stream: ClientHttp2Stream
  readonly #connection: Http2Connection
  readonly #receivedBefore: number
  readonly #options: GrpcCallOptions<T>
  #reader: EnvelopeReader
  readonly #waiters: ((result: Taken<T>) => void)[] = []
  #open: { resolve(): void; reject(error: unknown): void } | undefined
  #httpStatus = 0
  #compression: Compression | undefined
  /** The status, once the response or what was lost of it has told; in the end, what the call failed with here. */
  #outcome: 'ok' | ConnectError | undefined
  /** A status in a head with a body behind it. Trailers know better; a body without any leaves it standing. */
  #headStatus: 'ok' | ConnectError | undefined
  /** Why the stream failed, where that is known better than by its code or the connection's end. */
  #fault: ConnectError | undefined
  #bodyEnded = false
  /** Nothing more is read: the outcome is final once what was received is handed out. */
  #ended = false
  /** Nothing more is handed out. */
  #over = false
  /** An error of which nobody has heard who takes messages. */
  #unheard: ConnectError | undefined
  /** Bytes that came while reading was held back: they say nothing of now. */
  #staleBytes = 0
  #decompressing = false
  /** Whoever waits takes the message that comes into this, decoded in a way of its own. */
  #batch: MessageBatch<unknown> | undefined
  #room: ReturnType<typeof roomFor> | undefined
  #turn: 'quiet' | 'woken' = 'quiet'

  constructor(connection: Http2Connection, stream: ClientHttp2Stream, options: GrpcCallOptions<T>) {
    this.#connection = connection
    this.#receivedBefore = connection.received
    this.#stream = stream
    this.#options = options
    this.#reader = new EnvelopeReader(options.readMaxBytes)
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
    stream.on('error', (error) => this.#onStreamError(error))
    stream.on('frameError', (type, code) => this.#onNotSent(type, code))
    stream.on('close', () => this.#onClose())
  }

  /** Why the call failed, from the moment on at which that is known. */
  get failure(): ConnectError | undefined {
    return this.#outcome instanceof ConnectError ? this.#outcome : undefined
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#waiters.length === 0) {
      const result = this.#take()
      if (result !== undefined) return Promise.resolve(result)
    }
    return new Promise((resolve) => this.#waiters.push(resolve))
  }

  /**
   * Waits for a message, and takes with it what else is here: at most so many, and not so many bytes after the first.
   * What fails among them is told by the next call. Seam of the house: one wake-up hands on a whole chunk.
   *
   * @returns None at the end.
   */
  async nextBatch<M>(decoder: Decoder<M>, maxMessages: number, maxBytes: number): Promise<MessageBatch<M>> {
    this.#room ??= roomFor(MAX_BATCH)
    const batch = new MessageBatch<M>(decoder, this.#room)
    this.#batch = batch
    try {
      if ((await this.next()).done === true) return batch
    } finally {
      this.#batch = undefined
    }
    const reader = this.#reader
    const most = Math.min(maxMessages, batch.most)
    let room = maxBytes
    while (!this.#over && batch.messages.length < most && reader.ready()) {
      // A compressed one takes its time, and what is wrong ends the call: both are `next()`'s.
      if (reader.compressed || reader.needed > room - batch.besides || reader.read() !== 'message') break
      const { bytes, start, end } = reader
      room -= end - start
      try {
        batch.read(bytes, start, end)
      } catch (error) {
        this.fail(this.#error(undecodable(error)))
      }
    }
    if (this.held && !this.#over) this.#holdBack()
    return batch
  }

  /** Cancels the call, if it is not over, and drops what was received. */
  return(): Promise<IteratorReturnResult<undefined>> {
    this.fail(undefined)
    this.#unheard = undefined
    return Promise.resolve(DONE)
  }

  /** Ends the call at once: with this error, or as if it had been read to its end. */
  fail(error: ConnectError | undefined): void {
    if (this.#over) return
    // Whoever asks first hears of the error; those behind are past the end.
    this.#unheard = error
    this.#finish(error)
    this.#wake()
  }

  #onResponse(headers: IncomingHttpHeaders & IncomingHttpStatusHeader, last: boolean): void {
    if (this.#over) return
    this.#connection.noteData()
    const { header } = this
    const { ':status': httpStatus = 0 } = headers
    copyHeaders(headers, header)
    this.#httpStatus = httpStatus
    const status = readGrpcStatus(header)
    // Where it is no response of gRPC's, there are no messages behind the head either.
    const noGrpc = httpStatus === 200 ? contentTypeError(header) : errorWithoutStatus(httpStatus, header)
    if (last) this.#outcome = status ?? noGrpc ?? errorWithoutStatus(httpStatus, header)
    else if (noGrpc !== undefined) this.#outcome = status instanceof ConnectError ? status : noGrpc
    else {
      this.#headStatus = status
      this.#readEncoding()
    }
    if (this.#outcome instanceof ConnectError) {
      this.fail(this.#outcome)
      return
    }
    this.#open?.resolve()
    this.#open = undefined
  }

  #readEncoding(): void {
    const given = this.header.get('grpc-encoding') ?? 'identity'
    const encoding = given.toLowerCase()
    if (encoding === 'identity') return
    this.#compression = this.#options.acceptCompression.find(({ name }) => name === encoding)
    if (this.#compression !== undefined) return
    this.#outcome = this.#error(`the server compresses in a way that was not offered: ${quoted(given)}`)
  }

  #onTrailers(headers: IncomingHttpHeaders): void {
    if (this.#over) return
    this.#connection.noteData()
    copyHeaders(headers, this.trailer)
    this.#outcome ??= readGrpcStatus(this.trailer, this.header)
    if (this.#bodyEnded) this.#end()
  }

  #onData(chunk: Buffer): void {
    if (this.#over) return
    this.#reader.push(chunk)
    this.#holdBack()
    if (this.#staleBytes > 0) this.#staleBytes -= chunk.length
    else if (this.#turn !== 'woken') this.#connection.noteData()
    if (this.#turn === 'woken' || this.#waiters.length === 0) return
    this.#turn = 'woken'
    setImmediate(() => {
      this.#turn = 'quiet'
      this.#wake()
    })
    this.#wake()
  }

  /** Reading stops while enough waits for the consumer, but never within the message that it waits for. */
  #holdBack(): void {
    const { available, needed } = this.#reader
    const enough = Math.max(this.#options.readAheadBytes, needed)
    if (!this.held && available >= enough) {
      this.held = true
      this.#stream.pause()
      this.#connection.noteHeld(true)
    } else if (this.held && (available < enough / 2 || available < needed)) {
      this.held = false
      this.#staleBytes = this.#stream.readableLength
      this.#connection.noteHeld(false)
      this.#stream.resume()
    }
  }

  #onBodyEnd(): void {
    this.#bodyEnded = true
    if (this.#outcome !== undefined) this.#end()
    // Trailers are told in a turn of their own.
    else setImmediate(() => this.#end())
  }

  /** After this, nothing comes any more; with a lost connection, what Node still holds is taken over first. */
  #onClose(): void {
    if (this.#over || this.#ended) return
    for (;;) {
      const chunk: Buffer | null = this.#stream.read()
      if (chunk === null) break
      this.#reader.push(chunk)
    }
    if (this.#open !== undefined && this.#stream.rstCode === NGHTTP2_REFUSED_STREAM) this.#onRefused()
    if (!this.#bodyEnded) this.#outcome ??= this.#lostError()
    this.#end()
  }

  #onRefused(): void {
    // A session that nghttp2 has ended refuses streams by itself, and nothing was received since this one began.
    const sent = this.#connection.received !== this.#receivedBefore
    if (!sent) this.#connection.retire()
    this.refusal ??= { sent, processed: Infinity }
  }

  /** RFC 9113, section 6.8: what has a higher number was not processed, nor was what waits for its turn. */
  onGoaway(lastStreamId: number): void {
    if (this.#open === undefined) return
    const { id = 0, state } = this.#stream
    const waits = state?.state === NGHTTP2_STREAM_STATE_IDLE
    // Numbers of calls are odd.
    if (waits || id > lastStreamId) this.refusal = { sent: !waits, processed: Math.ceil(lastStreamId / 2) }
    // Nobody else ends it: it would wait until the last stream before it is over.
    if (waits) this.fail(new ConnectError('the connection ended before the call was sent', Code.Unavailable))
  }

  /** Only HEADERS are ever refused by nghttp2: for their length, or because the connection takes no more streams. */
  #onNotSent(type: number, code: number): void {
    if (type !== HEADERS_FRAME) return
    if (code !== NGHTTP2_FRAME_SIZE_ERROR) this.refusal = { sent: false, processed: Infinity }
    else {
      this.#fault = new ConnectError(
        "the request's headers are longer than the 64 KiB that this side sends",
        Code.InvalidArgument,
      )
    }
  }

  /** What nghttp2 finds wrong with what the peer sent, an answer in HTTP/1 among it. */
  #onStreamError(error: Error): void {
    if (!('code' in error) || error.code !== 'ERR_HTTP2_ERROR') return
    this.#fault ??= new ConnectError(`the server does not keep to HTTP/2: ${error.message}`, Code.Internal)
  }

  /** Node ends the body of a stream that was reset with CANCEL, or lost, as if that were a regular end. */
  #endWithoutTrailers(): 'ok' | ConnectError {
    if (this.#connection.lost !== undefined || (this.#stream.rstCode ?? 0) !== 0) return this.#lostError()
    return this.#headStatus ?? errorWithoutStatus(this.#httpStatus, this.header)
  }

  #lostError(): ConnectError {
    return this.#fault ?? this.#connection.lost ?? resetError(this.#stream.rstCode ?? 0)
  }

  #end(): void {
    if (this.#ended || this.#over) return
    this.#ended = true
    this.#outcome ??= this.#endWithoutTrailers()
    if (this.#open !== undefined) {
      this.fail(this.#outcome === 'ok' ? errorWithoutStatus(this.#httpStatus, this.header) : this.#outcome)
      return
    }
    this.#wake()
  }

  #wake(): void {
    while (this.#waiters.length > 0) {
      const result = this.#take()
      if (result === undefined) return
      this.#waiters.shift()?.(result)
    }
  }

  #take(): Taken<T> | undefined {
    if (this.#over) return this.#afterEnd()
    if (this.#decompressing) return undefined
    const reader = this.#reader
    switch (reader.read()) {
      case 'message':
        if (this.held) this.#holdBack()
        return reader.compressed
          ? this.#takeCompressed()
          : this.#decode(reader.bytes, reader.start, reader.end)
      case 'incomplete':
        if (this.held) this.#holdBack()
        return this.#ended ? this.#settle() : undefined
      case 'too-long':
        return this.#reject(
          `a message of ${reader.length} bytes is longer than readMaxBytes (${this.#options.readMaxBytes})`,
          Code.ResourceExhausted,
        )
      default:
        return this.#reject('an envelope has flags that gRPC does not define')
    }
  }

  #afterEnd(): Taken<T> {
    const error = this.#unheard
    this.#unheard = undefined
    return error === undefined ? DONE : Promise.reject(error)
  }

  #decode(bytes: Buffer, start: number, end: number): Taken<T> {
    try {
      if (this.#batch === undefined) return { done: false, value: this.#options.decode(bytes, start, end) }
      this.#batch.read(bytes, start, end)
      return IN_BATCH
    } catch (error) {
      return this.#reject(undecodable(error))
    }
  }

  async #takeCompressed(): Promise<IteratorResult<T, undefined>> {
    const { bytes, start, end } = this.#reader
    const compression = this.#compression
    if (compression === undefined) {
      return this.#reject('a message says that it is compressed, and no grpc-encoding says how')
    }
    this.#decompressing = true
    try {
      const plain = await compression.decompress(bytes.subarray(start, end), this.#options.readMaxBytes)
      if (this.#over) return await this.#afterEnd()
      const buffer = Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength)
      return await this.#decode(buffer, 0, buffer.length)
    } catch (error) {
      return await this.#conclude(ConnectError.from(error, Code.Internal))
    } finally {
      this.#decompressing = false
      queueMicrotask(() => this.#wake())
    }
  }

  #settle(): Taken<T> {
    return this.#outcome === 'ok' && this.#reader.available > 0
      ? this.#reject('the body ended within a message')
      : this.#conclude(this.failure)
  }

  #reject(text: string, code = Code.Internal): Taken<T> {
    return this.#conclude(this.#error(text, code))
  }

  /** Ends the call, where whoever takes a message hears how. */
  #conclude(error: ConnectError | undefined): Taken<T> {
    this.#finish(error)
    return error === undefined ? DONE : Promise.reject(error)
  }

  #error(text: string, code = Code.Internal): ConnectError {
    return new ConnectError(text, code, this.header)
  }

  #finish(error: ConnectError | undefined): void {
    if (this.#over) return
    this.#over = true
    // What it holds is not handed out any more.
    this.#reader = new EnvelopeReader(this.#options.readMaxBytes)
    this.#open?.reject(error ?? new ConnectError('the call was left', Code.Canceled))
    this.#open = undefined
    const stream = this.#stream
    // A call that the server has ended needs no reset; what is left of ours to send is not wanted any more.
    if (!this.#ended || this.#outcome !== 'ok') stream.close(NGHTTP2_CANCEL)
    else if (!stream.writableEnded) stream.end()
    stream.resume()
    if (error !== undefined) this.#outcome = error
    this.#connection.leave(this)
    this.#options.onEnd(error)
    this.onOver?.(error === undefined && this.#ended)
  }
}

function undecodable(error: unknown): string {
  return `a message cannot be decoded: ${error instanceof Error ? error.message : 'unreadable'}`
}

function copyHeaders(from: IncomingHttpHeaders, to: Headers): void {
  for (const [name, value] of Object.entries(from)) {
    if (name.startsWith(':') || value === undefined) continue
    for (const text of Array.isArray(value) ? value : [value]) to.append(name, text)
  }
}
