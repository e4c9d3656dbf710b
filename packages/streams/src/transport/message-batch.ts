/**
 * The messages of one read, each with the bytes that it was decoded from. To keep a message for later, keep
 * its bytes, because they need less garbage collection than its strings. Internal API between transport and
 * delivery.
 */

import type { UndecodableMessage } from './undecodable.ts'

/** Decodes a message from a range of bytes. `bytes` is a `Buffer`; public types include this type, so it names no Node type. */
export type Decode<T> = { decode(bytes: Uint8Array, start: number, end: number): T }['decode']

/** The decoder of the messages of a batch. */
export interface Decoder<T> {
  /** Decodes one message. */
  readonly decode: Decode<T>
  /** Range of the id of the last message within its bytes: see `KnownStrings`. */
  readonly texts: { readonly idStart: number; readonly idEnd: number }
  /** Returns the bytes that a message holds in memory in addition to its strings. */
  extraBytes(message: T): number
}

/** Fields of a message in {@link BatchNotes}. Offsets of the message count from the start of its chunk's `ArrayBuffer`. */
const FIELDS = 6
const MESSAGE_START = 0
const MESSAGE_END = 1
/** Offsets of the id count from the start of the chunk. */
const ID_START = 2
const ID_END = 3
const CHUNK = 4
const EXTRA_BYTES = 5

const FIRST_MESSAGES = 8
/** The array is halved if the previous batch used no more than this fraction of it. */
const SHRINK_AT = 1 / 8

/** Offsets and sizes of the messages of the current batch, in one reused array that grows and shrinks with the batches. */
class BatchNotes {
  readonly maxMessages: number
  fields: Uint32Array
  /** Number of messages in the current batch. */
  used = 0

  constructor(maxMessages: number) {
    this.maxMessages = maxMessages
    this.fields = new Uint32Array(FIELDS * Math.min(maxMessages, FIRST_MESSAGES))
  }

  /** Discards the fields of the previous batch. */
  clear(): void {
    const messages = this.fields.length / FIELDS
    if (messages > FIRST_MESSAGES && this.used <= messages * SHRINK_AT)
      this.fields = new Uint32Array(FIELDS * (messages >>> 1))
    this.used = 0
  }

  /** Adds a message. @returns The offset of its fields. */
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

/** Returns notes for batches of at most `maxMessages` messages. */
export function notesFor(maxMessages: number): BatchNotes {
  return new BatchNotes(maxMessages)
}

let lastId = 0

/** The messages of one read; empty at the end of a call. Valid until the next batch with the same notes is created. */
export class MessageBatch<T> {
  readonly messages: T[] = []
  /** The message after `messages`, if it cannot be decoded. */
  undecodable: UndecodableMessage | undefined
  /** Bytes that the messages hold in memory in addition to their strings. */
  extraBytes = 0
  readonly maxMessages: number
  /** Identifies the batch without a reference that would keep its memory alive. */
  readonly id: number
  readonly #chunks: Uint8Array[] = []
  readonly #notes: BatchNotes
  readonly #decoder: Decoder<T>
  #chunk: Uint8Array | undefined
  /**
   * `byteOffset` of the chunk. Cached, because reading it from a `Buffer` takes as long as decoding a short
   * string.
   */
  #offset = 0

  /** @param notes - Made by {@link notesFor}. */
  constructor(decoder: Decoder<T>, notes: BatchNotes) {
    lastId += 1
    this.id = lastId
    this.#decoder = decoder
    this.#notes = notes
    this.maxMessages = notes.maxMessages
    notes.clear()
  }

  /** Whether the batch has no message. An empty batch is the last one of a call. */
  get isEmpty(): boolean {
    return this.messages.length === 0 && this.undecodable === undefined
  }

  /** Decodes a message of a chunk and adds it. Throws if the bytes are no valid message. */
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
    const at = this.#notes.add()
    const { fields } = this.#notes
    fields[at + MESSAGE_START] = this.#offset + start
    fields[at + MESSAGE_END] = this.#offset + end
    fields[at + ID_START] = texts.idStart
    fields[at + ID_END] = texts.idEnd
    fields[at + CHUNK] = this.#chunks.length - 1
    const extraBytes = decoder.extraBytes(message)
    fields[at + EXTRA_BYTES] = extraBytes
    this.extraBytes += extraBytes
  }

  /** Returns the chunk that contains a message. */
  chunkOf(index: number): Uint8Array {
    return this.#chunks[this.#field(index, CHUNK)] as Uint8Array
  }

  /** Returns the offset of a message in the `ArrayBuffer` of its chunk. */
  startOf(index: number): number {
    return this.#field(index, MESSAGE_START)
  }

  /** Returns the end of a message in the `ArrayBuffer` of its chunk. */
  endOf(index: number): number {
    return this.#field(index, MESSAGE_END)
  }

  /** Returns the offset of a message's id in its chunk. */
  idStartOf(index: number): number {
    return this.#field(index, ID_START)
  }

  /** Returns the end of a message's id in its chunk. */
  idEndOf(index: number): number {
    return this.#field(index, ID_END)
  }

  /** Returns the bytes that a message holds in memory in addition to its strings. */
  extraBytesOf(index: number): number {
    return this.#field(index, EXTRA_BYTES)
  }

  #field(index: number, field: number): number {
    return this.#notes.fields[FIELDS * index + field] as number
  }
}
