/**
 * Finds gRPC's envelopes in the chunks of a body: one byte of flags, four bytes of length, the message.
 *
 * A message that lies within one chunk is handed out as a range of it, without a copy and without an object made for
 * it: at a million messages a second both would cost more than decoding. Only a message across chunks is joined.
 */

const HEAD_BYTES = 5
/** Chunks that were read leave the array in groups: shifting it for each of them is slower. */
const COMPACT_AT = 64
const NONE = Buffer.alloc(0)

/** What the next envelope is. The last two are found again until `skip()` or the end of the call. */
export type Envelope =
  /** A whole message: `bytes`, `start`, `end` and `compressed` of the reader say where, until the next call. */
  | 'message'
  | 'incomplete'
  /** Longer than allowed: `length` says what was announced. */
  | 'too-long'
  | 'unknown-flags'

export class EnvelopeReader {
  /** Bytes received and not yet handed out. */
  available = 0
  /** Bytes of the next envelope, its head included; of the head alone if that is incomplete or the message too long. */
  needed = HEAD_BYTES
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
  /** Bytes still to arrive of a message that is skipped. */
  #skipping = 0

  /** @param maxBytes - The longest message that is accepted. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Whether the last bytes received are a part of an envelope. */
  get isWithinEnvelope(): boolean {
    return this.available > 0 || this.#skipping > 0
  }

  push(chunk: Buffer): void {
    const skipped = Math.min(this.#skipping, chunk.length)
    this.#skipping -= skipped
    if (skipped === chunk.length) return
    this.#chunks.push(skipped === 0 ? chunk : chunk.subarray(skipped))
    this.available += chunk.length - skipped
  }

  /** Drops a message that is too long: the bytes received of it now, the others when they arrive. */
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

  ready(): boolean {
    if (this.#head === 'unread') {
      if (this.available < HEAD_BYTES) return false
      this.#readHead()
    }
    return this.#head !== 'read' || this.available >= this.needed
  }

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

  /** The first chunk, after making sure that it holds the next `length` bytes. */
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
