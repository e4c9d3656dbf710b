/**
 * Messages that were here together, each with the bytes it was read from: whoever may want to see a message again
 * keeps those, which costs the collector less than to keep its texts. Seam of the house, from transport to delivery.
 */

/** Turns a range of bytes into a message. They are a `Buffer`, which is not said here: public types reach this one. */
export type Decode<T> = { decode(bytes: Uint8Array, start: number, end: number): T }['decode']

/** None at the end of a call. */
export class MessageBatch<T> {
  readonly messages: T[] = []
  /** The chunk that each of them lies in, and where it begins and ends in that one's memory. */
  readonly sources: Uint8Array[] = []
  readonly starts: number[] = []
  readonly ends: number[] = []
  readonly #decode: Decode<T>
  #chunk: Uint8Array | undefined
  /** Where it lies in its memory. Asked for once: to ask a `Buffer` costs as much as to read a short text. */
  #offset = 0

  constructor(decode: Decode<T>) {
    this.#decode = decode
  }

  /** Decodes a message of a chunk and adds it. Throws where the bytes are none. */
  read(source: Uint8Array, start: number, end: number): void {
    this.messages.push(this.#decode(source, start, end))
    if (source !== this.#chunk) [this.#chunk, this.#offset] = [source, source.byteOffset]
    this.sources.push(source)
    this.starts.push(this.#offset + start)
    this.ends.push(this.#offset + end)
  }
}
