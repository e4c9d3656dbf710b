/**
 * Messages that were here together, each with the bytes it was read from: whoever may want to see a message again
 * keeps those, which costs the collector less than to keep its texts. Seam of the house, from transport to delivery.
 */

import type { UndecodableMessage } from './undecodable.ts'

/** Turns a range of bytes into a message. They are a `Buffer`, which is not said here: public types reach this one. */
export type Decode<T> = { decode(bytes: Uint8Array, start: number, end: number): T }['decode']

/** What decodes the messages of a batch. */
export interface Decoder<T> {
  readonly decode: Decode<T>
  /** Where, in those bytes, the text is that names the message decoded last: see `KnownTexts`. */
  readonly texts: { readonly nameStart: number; readonly nameEnd: number }
  /** Bytes that a message holds beside its texts. */
  besides(message: T): number
}

/** What is noted of a message, all in one array that is used again: where it lies in the memory of its chunk, and so on. */
const FIELDS = 6
const START = 0
const END = 1
const NAME_START = 2
const NAME_END = 3
const CHUNK = 4
const BESIDES = 5

const FIRST_MESSAGES = 8
/** The memory is halved if the batch before used no more than this part of it. */
const SHRINK_AT = 1 / 8

/** Memory for the notes on the messages of one batch after the other. It grows with the batches, and shrinks again. */
class BatchRoom {
  readonly maxMessages: number
  fields: Uint32Array
  /** Messages of the batch in it. */
  used = 0

  constructor(maxMessages: number) {
    this.maxMessages = maxMessages
    this.fields = new Uint32Array(FIELDS * Math.min(maxMessages, FIRST_MESSAGES))
  }

  /** Drops the notes on the batch before. */
  clear(): void {
    const messages = this.fields.length / FIELDS
    if (messages > FIRST_MESSAGES && this.used <= messages * SHRINK_AT)
      this.fields = new Uint32Array(FIELDS * (messages >>> 1))
    this.used = 0
  }

  /** Returns the offset of the fields of another message. */
  add(): number {
    const at = FIELDS * this.used
    if (at === this.fields.length) {
      const larger = new Uint32Array(FIELDS * Math.min(this.maxMessages, 2 * this.used))
      larger.set(this.fields)
      this.fields = larger
    }
    this.used += 1
    return at
  }
}

/** Room for batches of at most so many messages. */
export function roomFor(messages: number): BatchRoom {
  return new BatchRoom(messages)
}

let lastNumber = 0

/** Empty at the end of a call. It holds until the next one in the same room is begun. */
export class MessageBatch<T> {
  readonly messages: T[] = []
  /** The message after them, if it cannot be decoded. */
  undecodable: UndecodableMessage | undefined
  /** Bytes that they hold beside their texts. */
  besides = 0
  /** How many there is room for. */
  readonly most: number
  /** Tells batches apart, where to keep one would keep what it holds. */
  readonly number: number
  readonly #chunks: Uint8Array[] = []
  readonly #room: BatchRoom
  readonly #decoder: Decoder<T>
  #chunk: Uint8Array | undefined
  /** Where it lies in its memory. Asked for once: to ask a `Buffer` costs as much as to read a short text. */
  #offset = 0

  /** @param room - Made by {@link roomFor}. */
  constructor(decoder: Decoder<T>, room: BatchRoom) {
    lastNumber += 1
    this.number = lastNumber
    this.#decoder = decoder
    this.#room = room
    this.most = room.maxMessages
    room.clear()
  }

  get isEmpty(): boolean {
    return this.messages.length === 0 && this.undecodable === undefined
  }

  /** Decodes a message of a chunk and adds it. Throws where the bytes are none. */
  read(chunk: Uint8Array, start: number, end: number): void {
    const decoder = this.#decoder
    const { texts } = decoder
    const message = decoder.decode(chunk, start, end)
    this.messages.push(message)
    if (chunk !== this.#chunk) {
      this.#chunk = chunk
      this.#offset = chunk.byteOffset
      this.#chunks.push(chunk)
    }
    const at = this.#room.add()
    const room = this.#room.fields
    room[at + START] = this.#offset + start
    room[at + END] = this.#offset + end
    room[at + NAME_START] = texts.nameStart
    room[at + NAME_END] = texts.nameEnd
    room[at + CHUNK] = this.#chunks.length - 1
    const besides = decoder.besides(message)
    room[at + BESIDES] = besides
    this.besides += besides
  }

  chunkOf(index: number): Uint8Array {
    return this.#chunks[this.#noted(index, CHUNK)] as Uint8Array
  }

  /** Where a message begins in the memory of its chunk. */
  startOf(index: number): number {
    return this.#noted(index, START)
  }

  endOf(index: number): number {
    return this.#noted(index, END)
  }

  /** Where its name begins in its chunk. */
  nameStartOf(index: number): number {
    return this.#noted(index, NAME_START)
  }

  nameEndOf(index: number): number {
    return this.#noted(index, NAME_END)
  }

  /** Bytes that it holds beside its texts. */
  besidesOf(index: number): number {
    return this.#noted(index, BESIDES)
  }

  #noted(index: number, field: number): number {
    return this.#room.fields[FIELDS * index + field] as number
  }
}
