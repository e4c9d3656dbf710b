/** The messages of one response: finds them in the received bytes, decompresses them, and pauses reading for a slow consumer. */
import type { ClientHttp2Stream } from 'node:http2'
import { Code, ConnectError } from '@connectrpc/connect'
import { EnvelopeReader } from './envelope-reader.ts'
import type { Http2Connection } from './http2-connection.ts'
import type { MessageBatch } from './message-batch.ts'
import type { TransportSettings } from './options.ts'
import type { ResponseStatus } from './response-status.ts'
import { type UndecodableMessage, undecodable } from './undecodable.ts'

/** The stream that bytes are read from. */
type Stream = Pick<ClientHttp2Stream, 'pause' | 'resume' | 'readableLength'>
type Options = Pick<TransportSettings, 'readMaxBytes' | 'readAheadBytes'>

/** The longest message that is skipped. A greater length is taken as a sign of corrupted data. */
const MAX_SKIPPED_BYTES = 2 ** 30

/** The reader of one response. */
export class MessageReader {
  /** Whether reading is paused, because enough messages wait for the consumer. */
  paused = false
  readonly #stream: Stream
  readonly #connection: Pick<Http2Connection, 'onPauseChange'>
  readonly #options: Options
  readonly #response: ResponseStatus
  #envelopes: EnvelopeReader
  /** Bytes that Node received before reading was paused. They are no proof that the connection is alive now. */
  #staleBytes = 0

  constructor(
    stream: Stream,
    connection: Pick<Http2Connection, 'onPauseChange'>,
    options: Options,
    response: ResponseStatus,
  ) {
    this.#stream = stream
    this.#connection = connection
    this.#options = options
    this.#response = response
    this.#envelopes = new EnvelopeReader(options.readMaxBytes)
  }

  /** The bytes that contain the last message, from `start` to `end`. */
  get bytes(): Buffer {
    return this.#envelopes.bytes
  }

  get start(): number {
    return this.#envelopes.start
  }

  get end(): number {
    return this.#envelopes.end
  }

  /** Whether a part of a message was received. */
  get isWithinMessage(): boolean {
    return this.#envelopes.isWithinEnvelope
  }

  /** Adds a chunk, without backpressure. */
  push(chunk: Buffer): void {
    this.#envelopes.push(chunk)
  }

  /**
   * Adds a chunk, and pauses reading if necessary.
   * @returns Whether the chunk was received just now, and not before a pause.
   */
  receive(chunk: Buffer): boolean {
    this.#envelopes.push(chunk)
    this.#applyBackpressure()
    if (this.#staleBytes <= 0) return true
    this.#staleBytes -= chunk.length
    return false
  }

  /** Finds the next message. The caller decompresses a compressed one and skips one that is too long. An error is final. */
  read(): 'message' | 'compressed' | 'incomplete' | 'too-long' | ConnectError {
    const envelopes = this.#envelopes
    switch (envelopes.read()) {
      case 'message':
        if (this.paused) this.#applyBackpressure()
        return envelopes.compressed ? 'compressed' : 'message'
      case 'incomplete':
        if (this.paused) this.#applyBackpressure()
        return 'incomplete'
      case 'too-long':
        return envelopes.length > MAX_SKIPPED_BYTES ? this.tooLongError() : 'too-long'
      default:
        return this.error('an envelope has flags that gRPC does not define')
    }
  }

  /**
   * Adds further received messages to a batch, up to one that cannot be decoded: at most `maxMessages` in the batch, and at most
   * `maxBytes` after its first message.
   */
  fill(batch: MessageBatch<unknown>, maxMessages: number, maxBytes: number): void {
    const envelopes = this.#envelopes
    const most = Math.min(maxMessages, batch.maxMessages)
    let left = maxBytes
    while (batch.messages.length < most && envelopes.ready()) {
      // The next read handles a compressed message, which is asynchronous, and a wrong envelope.
      if (
        envelopes.compressed ||
        envelopes.needed > left - batch.extraBytes ||
        envelopes.read() !== 'message'
      )
        break
      const { bytes, start, end } = envelopes
      left -= end - start
      try {
        batch.read(bytes, start, end)
      } catch (error) {
        batch.undecodable = this.malformed(error, bytes, start, end)
        break
      }
    }
    if (this.paused) this.#applyBackpressure()
  }

  /** Skips the message that is too long. */
  skip(): UndecodableMessage {
    const { length } = this.#envelopes
    const message = this.#tooLong
    this.#envelopes.skip()
    if (this.paused) this.#applyBackpressure()
    return { reason: 'too-large', message, bytes: undefined, length }
  }

  /** Returns the item of a message that cannot be decoded. */
  malformed(error: unknown, bytes: Uint8Array, start: number, end: number): UndecodableMessage {
    return undecodable('malformed', decodeFailure(error), bytes, start, end)
  }

  /** Returns the item of the last message, after {@link decompress} failed. */
  notDecompressed(error: ConnectError): UndecodableMessage {
    const { bytes, start, end } = this.#envelopes
    const message = error.rawMessage
    if (error.code !== Code.ResourceExhausted) return undecodable('compression', message, bytes, start, end)
    return { reason: 'too-large', message, bytes: undefined, length: end - start }
  }

  /** Decompresses the last message. @throws ConnectError */
  async decompress(): Promise<Buffer> {
    const { bytes, start, end } = this.#envelopes
    const { compression } = this.#response
    if (compression === undefined) {
      throw this.error('a message is compressed, but the response has no grpc-encoding')
    }
    try {
      const plain = await compression.decompress(bytes.subarray(start, end), this.#options.readMaxBytes)
      return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength)
    } catch (error) {
      throw ConnectError.from(error, Code.Internal)
    }
  }

  /**
   * Pauses reading while enough messages wait for the consumer, but never before the next message is
   * complete.
   */
  #applyBackpressure(): void {
    const { available, needed } = this.#envelopes
    const enough = Math.max(this.#options.readAheadBytes, needed)
    if (!this.paused && available >= enough) {
      this.paused = true
      this.#stream.pause()
      this.#connection.onPauseChange(true)
    } else if (this.paused && (available < enough / 2 || available < needed)) {
      this.paused = false
      this.#staleBytes = this.#stream.readableLength
      this.#connection.onPauseChange(false)
      this.#stream.resume()
    }
  }

  /** Discards the received bytes. */
  clear(): void {
    this.#envelopes = new EnvelopeReader(this.#options.readMaxBytes)
  }

  /** Returns the error that ends the call after a message that cannot be decoded. */
  decodeError(error: unknown): ConnectError {
    return this.error(`a message cannot be decoded: ${decodeFailure(error)}`)
  }

  /** Returns the error that ends the call after a message that is too long. */
  tooLongError(): ConnectError {
    return this.error(this.#tooLong, Code.ResourceExhausted)
  }

  get #tooLong(): string {
    const { length } = this.#envelopes
    return `a message of ${length} bytes is longer than readMaxBytes (${this.#options.readMaxBytes})`
  }

  /** Returns an error with the response headers as metadata. */
  error(text: string, code = Code.Internal): ConnectError {
    return new ConnectError(text, code, this.#response.header)
  }
}

function decodeFailure(error: unknown): string {
  return error instanceof Error ? error.message : 'invalid message'
}
