/**
 * Messages that were here together, each with the bytes it was read from: whoever may want to see a message again
 * keeps those, which costs the collector less than to keep its texts. Seam of the house, from transport to delivery.
 */

/** Turns a range of bytes into a message. They are a `Buffer`, which is not said here: public types reach this one. */
export type Decode<T> = { decode(bytes: Uint8Array, start: number, end: number): T }['decode']

/** None at the end of a call. */
export class MessageBatch<T> {
  readonly messages: T[] = []
  /** `undefined` where there is nothing but the message: from another transport, or decompressed. */
  readonly sources: (Uint8Array | undefined)[] = []
  readonly starts: number[] = []
  readonly ends: number[] = []
  readonly decode: Decode<T> | undefined

  constructor(decode?: Decode<T>) {
    this.decode = decode
  }

  /** @param source - The chunk that it lies in, from `start` up to, not including, `end`. */
  add(message: T, source?: Uint8Array, start = 0, end = 0): void {
    this.messages.push(message)
    this.sources.push(source)
    this.starts.push(start)
    this.ends.push(end)
  }
}
