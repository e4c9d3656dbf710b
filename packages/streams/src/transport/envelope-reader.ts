/**
 * Finds gRPC envelopes in the chunks of a body: one byte of flags, four bytes of length, the message.
 *
 * A message within one chunk is returned as a range of it, without a copy or a new object: at a million messages per second, both
 * would cost more than decoding. Only a message that spans chunks is copied.
 */

const HEAD_BYTES = 5
/** Number of read chunks that are removed from the array at once. Removing each one is slower. */
const COMPACT_AT = 64
const NONE = Buffer.alloc(0)

/** The result of a read. The last two results repeat until `skip()`. */
export type Envelope =
  /** A whole message. `bytes`, `start`, `end` and `compressed` of the reader describe it until the next read. */
  | 'message'
  | 'incomplete'
  /** A message that is longer than allowed. `length` is its announced length. */
  | 'too-long'
  | 'unknown-flags'

/** The reader of one body. */
export class EnvelopeReader {
  /** Bytes that were received and not read yet. */
  available = 0
  /**
   * Bytes of the next envelope with its header; of the header alone if the header is incomplete or the
   * message is too long.
   */
  needed = HEAD_BYTES
  /** Length of the message, from the header. */
  length = 0
  compressed = false
  bytes: Buffer = NONE
  start = 0
  end = 0

  readonly #maxBytes: number
  readonly #chunks: Buffer[] = []
  #first = 0
  #offset = 0
  #head: 'unread' | 'read' | 'too-long' | 'unknown-flags' = 'unread'
  /** Bytes of a skipped message that are still to arrive. */
  #skipping = 0

  /** @param maxBytes - The longest message that is accepted. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Whether a part of an envelope was received. */
  get isWithinEnvelope(): boolean {
    return this.available > 0 || this.#skipping > 0
  }

  /** Adds a chunk. */
  push(chunk: Buffer): void {
    const skipped = Math.min(this.#skipping, chunk.length)
    this.#skipping -= skipped
    if (skipped === chunk.length) return
    this.#chunks.push(skipped === 0 ? chunk : chunk.subarray(skipped))
    this.available += chunk.length - skipped
  }

  /** Discards a message that is too long: the received bytes now, the others when they arrive. */
  skip(): void {
    const received = this.#chunks.splice(0).slice(this.#first)
    received[0] = (received[0] as Buffer).subarray(this.#offset)
    this.#first = 0
    this.#offset = 0
    this.available = 0
    this.#head = 'unread'
    this.#skipping = HEAD_BYTES + this.length
    for (const chunk of received) this.push(chunk)
  }

  /** Whether `read()` returns something other than `incomplete`. */
  ready(): boolean {
    if (this.#head === 'unread') {
      if (this.available < HEAD_BYTES) return false
      this.#readHead()
    }
    return this.#head !== 'read' || this.available >= this.needed
  }

  /** Reads the next envelope. */
  read(): Envelope {
    if (!this.ready()) return 'incomplete'
    if (this.#head === 'too-long' || this.#head === 'unknown-flags') return this.#head
    const whole = this.needed
    const chunk = this.#front(whole)
    if (this.bytes !== chunk) this.bytes = chunk
    this.start = this.#offset + HEAD_BYTES
    this.end = this.#offset + whole
    this.#consume(chunk, whole)
    return 'message'
  }

  #readHead(): void {
    const chunk = this.#front(HEAD_BYTES)
    const flags = chunk[this.#offset] as number
    this.length = chunk.readUInt32BE(this.#offset + 1)
    this.compressed = flags === 1
    if (flags > 1) this.#head = 'unknown-flags'
    else if (this.length > this.#maxBytes) this.#head = 'too-long'
    else {
      this.#head = 'read'
      this.needed = HEAD_BYTES + this.length
    }
  }

  /** Returns the first chunk, which contains the next `length` bytes. Joins chunks if necessary. */
  #front(length: number): Buffer {
    const first = this.#chunks[this.#first] as Buffer
    return first.length - this.#offset >= length ? first : this.#join(length)
  }

  #join(length: number): Buffer {
    const parts: Buffer[] = []
    let gathered = 0
    let index = this.#first
    while (gathered < length) {
      const chunk = this.#chunks[index] as Buffer
      const rest = index === this.#first ? chunk.subarray(this.#offset) : chunk
      const missing = length - gathered
      parts.push(rest.length > missing ? rest.subarray(0, missing) : rest)
      gathered += Math.min(rest.length, missing)
      if (rest.length > missing) this.#chunks[index] = rest.subarray(missing)
      else index++
    }
    const joined = Buffer.concat(parts, length)
    this.#chunks.splice(0, index, joined)
    this.#first = 0
    this.#offset = 0
    return joined
  }

  #consume(chunk: Buffer, length: number): void {
    this.available -= length
    this.needed = HEAD_BYTES
    this.#head = 'unread'
    this.#offset += length
    if (this.#offset < chunk.length) return
    this.#offset = 0
    this.#chunks[this.#first] = NONE
    this.#first++
    if (this.#first === this.#chunks.length || this.#first === COMPACT_AT) {
      this.#chunks.splice(0, this.#first)
      this.#first = 0
    }
  }
}
