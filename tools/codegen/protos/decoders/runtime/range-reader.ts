/**
 * Reads the protobuf wire format within a range of a buffer, for the generated decoders.
 *
 * It takes and refuses what protobuf-es' `BinaryReader` takes and refuses, leniency included: the type of a known field
 * decides how it is read, not the wire type; a varint of 32 bits may have ten bytes; a nested message may end within
 * a field; one byte order mark before a text is dropped. What differs, on purpose:
 * - bytes, of unknown fields too, are copied and are plain `Uint8Array`s, because the buffer belongs to a socket;
 * - 64-bit integers are `bigint` also under `BUF_BIGINT_DISABLE`, and text is not read by what `configureTextEncoding`
 *   set;
 * - a message has at most 65,536 fields that are not known: of two bytes each, they would become a hundred times as much;
 * - errors have messages of their own.
 */
import { isUtf8 } from 'node:buffer'
import type { Message, UnknownField } from '@bufbuild/protobuf'
import { MAX_SHORT_TEXT, shortAscii } from './short-ascii.ts'

/** What the generated decoders are: a `MessageDecoder` that knows that its bytes are a `Buffer`, which public types never name. */
export type BufferDecoder = (bytes: Buffer, start: number, end: number) => Message

// What `toString` of Node's buffers calls, without its checks of arguments: Node's types leave it out. Looked up once: the
// engine finds none of the hundred methods of a buffer without a search.
const { utf8Slice } = Buffer.prototype as Buffer & {
  utf8Slice(this: Buffer, start: number, end: number): string
}

// One 64-bit value in flight, written as halves and read as a bigint: no arithmetic on bigints.
const halves = new Int32Array(2)
const signed = new BigInt64Array(halves.buffer)
const unsigned = new BigUint64Array(halves.buffer)
const [LOW, HIGH] = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? [0, 1] : [1, 0]

/** Wire types by their number on the wire. */
const VARINT = 0
const BIT64 = 1
const LENGTH_DELIMITED = 2
const START_GROUP = 3
const END_GROUP = 4
const BIT32 = 5

const REPLACEMENT_CHARACTER = '\ufffd'

/** How deep messages and groups may stand in each other: protobuf's usual bound. */
export const MAX_DEPTH = 100

/** For a message deeper than {@link MAX_DEPTH}. */
export function tooDeep(typeName: string): never {
  throw new Error(`protobuf: ${typeName} stands too deep in other messages`)
}

/** The most fields of one message that the schema does not know. */
const MAX_UNKNOWN_FIELDS = 65_536

/** Adds one to those before it. */
export function withUnknown(field: UnknownField, others: UnknownField[] = []): UnknownField[] {
  if (others.push(field) > MAX_UNKNOWN_FIELDS) throw new Error('protobuf: too many unknown fields')
  return others
}

function endsEarly(): never {
  throw new RangeError('protobuf: the message ends within a field')
}

/** Longer texts are not looked for. */
const MAX_KNOWN_BYTES = 64

/** What texts are cut from is no longer, so that one that is kept keeps little else alive. */
const MAX_RUN_BYTES = 128

/** Short texts that came before, as few stand in one place of the messages of a stream; and where texts are in the last one. */
export class KnownTexts {
  /** Where the bytes of the text begin and end that names the message: the same where it has none. */
  nameStart = 0
  nameEnd = 0
  /** Where the text read last began, without a byte order mark. */
  textStart = 0
  /** Neighbouring texts with what stands between them, all ASCII, and where that lies. Once in a message it is tried. */
  #run: string | undefined
  #runStart = 0
  #runEnd = 0
  /** By length and last byte. */
  readonly #texts: ({ readonly text: string; readonly bytes: Uint8Array } | undefined)[] = new Array(256)

  /** The text that these bytes are, if it came lately. */
  find(bytes: Uint8Array, start: number, end: number): string | undefined {
    const known = this.#texts[slotOf(bytes, start, end)]
    if (known?.bytes.length !== end - start) return undefined
    for (let n = start; n < end; n += 1) if (bytes[n] !== known.bytes[n - start]) return undefined
    return known.text
  }

  /** Another message begins there. */
  begin(start: number): void {
    this.nameStart = this.nameEnd = start
    this.#run = undefined
  }

  /** Cut from a run, where it can be: one call into the host for a text and the short ones behind it, up to `limit`. */
  cut(bytes: Buffer, start: number, end: number, limit: number): string | undefined {
    if (this.#run === undefined) {
      if (end - start <= MAX_SHORT_TEXT || end - start >= MAX_RUN_BYTES) return undefined
      this.#readRun(bytes, start, end, Math.min(limit, start + MAX_RUN_BYTES))
    }
    if (end > this.#runEnd || start < this.#runStart) return undefined
    return this.#run?.substring(start - this.#runStart, end - this.#runStart)
  }

  #readRun(bytes: Buffer, start: number, first: number, limit: number): void {
    let end = first
    // A text whose number is below 16: both bytes before it are ASCII then, as it ends within the limit.
    for (let next = first; next <= limit; next += 2 + (bytes[next + 1] as number)) {
      end = next
      if (next + 1 >= limit || ((bytes[next] as number) & 0x87) !== LENGTH_DELIMITED) break
    }
    // One that stands alone is no cheaper so.
    const run = end === first ? '' : utf8Slice.call(bytes, start, end)
    // What is not ASCII has fewer characters than bytes, or shows as the replacement character.
    const isAscii = run.length === end - start && !run.includes(REPLACEMENT_CHARACTER)
    this.#run = isAscii ? run : ''
    this.#runStart = start
    this.#runEnd = isAscii ? end : start
  }

  know(text: string, bytes: Uint8Array, start: number, end: number): void {
    // A copy: what `slice` of a `Buffer` gives is a view of the socket's memory.
    if (end - start > MAX_KNOWN_BYTES) return
    this.#texts[slotOf(bytes, start, end)] = { text, bytes: new Uint8Array(bytes.subarray(start, end)) }
  }
}

function slotOf(bytes: Uint8Array, start: number, end: number): number {
  return (end - start + 31 * (bytes[end - 1] as number)) & 0xff
}

/** How long a byte order mark is, where there is one. */
function markAt(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 3 || bytes[start] !== 0xef) return 0
  return bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf ? 3 : 0
}

/** One pass over the bytes from `start` to `end`. Nothing outside of them is read. */
export class RangeReader {
  /** Where the next byte is. */
  pos: number
  readonly #bytes: Buffer
  readonly #end: number

  constructor(bytes: Buffer, start: number, end: number) {
    if (!(start >= 0 && start <= end && end <= bytes.length)) {
      throw new RangeError('protobuf: the range is not within the buffer')
    }
    this.#bytes = bytes
    this.pos = start
    this.#end = end
  }

  /** Field number and wire type in one number, as on the wire. */
  tag(): number {
    const { pos } = this
    if (pos < this.#end) {
      const tag = this.#bytes[pos] as number
      if (tag >= 8 && tag < 0x80 && (tag & 7) <= BIT32) {
        this.pos = pos + 1
        return tag
      }
    }
    return this.#longTag()
  }

  /** Where what follows ends, by its length prefix: outside of the range as well, where the first read throws. */
  limit(): number {
    const length = this.uint32()
    return this.pos + length
  }

  uint32(): number {
    const first = this.#next()
    if (first < 0x80) return first
    let value = first & 0x7f
    for (let shift = 7; shift < 28; shift += 7) {
      const byte = this.#next()
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    let byte = this.#next()
    value |= (byte & 0x0f) << 28
    // A negative int32 has ten bytes; what the last five say is not looked at.
    for (let read = 5; byte >= 0x80; read += 1) {
      if (read === 10) throw new Error('protobuf: a varint has more than 10 bytes')
      byte = this.#next()
    }
    return value >>> 0
  }

  int32(): number {
    return this.uint32() | 0
  }

  sint32(): number {
    const value = this.uint32()
    return (value >>> 1) ^ -(value & 1)
  }

  int64(): bigint {
    this.#varint64()
    return signed[0] as bigint
  }

  uint64(): bigint {
    this.#varint64()
    return unsigned[0] as bigint
  }

  sint64(): bigint {
    this.#varint64()
    const low = halves[LOW] as number
    const high = halves[HIGH] as number
    const sign = -(low & 1)
    halves[LOW] = ((low >>> 1) | (high << 31)) ^ sign
    halves[HIGH] = (high >>> 1) ^ sign
    return signed[0] as bigint
  }

  bool(): boolean {
    this.#varint64()
    return halves[LOW] !== 0 || halves[HIGH] !== 0
  }

  fixed32(): number {
    return this.#bytes.readUInt32LE(this.#take(4))
  }

  sfixed32(): number {
    return this.#bytes.readInt32LE(this.#take(4))
  }

  fixed64(): bigint {
    return this.#bytes.readBigUInt64LE(this.#take(8))
  }

  sfixed64(): bigint {
    return this.#bytes.readBigInt64LE(this.#take(8))
  }

  float(): number {
    return this.#bytes.readFloatLE(this.#take(4))
  }

  double(): number {
    return this.#bytes.readDoubleLE(this.#take(8))
  }

  bytes(): Uint8Array {
    const length = this.uint32()
    const start = this.#take(length)
    return this.#copy(start, start + length)
  }

  /** As a number where one holds it: a bigint costs as much as a short text. */
  wholeNumber(): number | bigint {
    this.#varint64()
    const high = halves[HIGH] as number
    return high >= 0 && high < 2 ** 21
      ? high * 2 ** 32 + ((halves[LOW] as number) >>> 0)
      : (signed[0] as bigint)
  }

  /** A text that often came before: that one itself then. */
  knownString(texts: KnownTexts): string {
    const at = this.pos
    const length = this.uint32()
    if (length === 0) return ''
    const start = this.#take(length)
    const known = texts.find(this.#bytes, start, this.pos)
    if (known !== undefined) return known
    this.pos = at
    const text = this.string()
    texts.know(text, this.#bytes, start, this.pos)
    return text
  }

  /** Throws where the bytes are not UTF-8, as proto3 demands. */
  string(): string {
    const length = this.uint32()
    if (length === 0) return ''
    const start = this.#take(length)
    if (length <= MAX_SHORT_TEXT) {
      const text = shortAscii(this.#bytes, start, length)
      if (text !== undefined) return text
    }
    return this.#text(start, start + length)
  }

  /** The same, cut from a run where it can be. */
  cutString(texts: KnownTexts): string {
    const at = this.pos
    const length = this.uint32()
    const start = this.#take(length)
    texts.textStart = start + markAt(this.#bytes, start, this.pos)
    const text = texts.cut(this.#bytes, start, this.pos, this.#end)
    if (text !== undefined) return text
    this.pos = at
    return this.string()
  }

  /** Passes over a field that the schema does not know. @param groups - How deep groups may stand in each other. */
  unknown(tag: number, groups: number): UnknownField {
    const start = this.pos
    this.#skip(tag, groups)
    return { no: tag >>> 3, wireType: tag & 7, data: this.#copy(start, this.pos) }
  }

  #skip(tag: number, groups: number): void {
    switch (tag & 7) {
      case VARINT:
        // Of any length: nobody asks for its value.
        while (this.#next() >= 0x80);
        return
      case BIT64:
        this.#take(8)
        return
      case LENGTH_DELIMITED:
        this.#take(this.uint32())
        return
      case START_GROUP:
        if (groups <= 0) throw new Error('protobuf: groups stand too deep in each other')
        for (;;) {
          const inner = this.tag()
          if ((inner & 7) !== END_GROUP) this.#skip(inner, groups - 1)
          else if (inner >>> 3 === tag >>> 3) return
          else throw new Error('protobuf: the end of another group')
        }
      case BIT32:
        this.#take(4)
        return
      default:
        throw new Error('protobuf: the end of a group that did not begin')
    }
  }

  #longTag(): number {
    const start = this.pos
    const tag = this.uint32()
    const length = this.pos - start
    if (length > 5 || (length === 5 && (this.#bytes[this.pos - 1] as number) > 0x0f)) {
      throw new Error('protobuf: a tag has more than 32 bits')
    }
    if (tag < 8) throw new Error('protobuf: field number 0')
    if ((tag & 7) > BIT32) throw new Error(`protobuf: wire type ${tag & 7}`)
    return tag
  }

  #text(start: number, end: number): string {
    const bytes = this.#bytes
    const first = start + markAt(bytes, start, end)
    const text = utf8Slice.call(bytes, first, end)
    // What is not UTF-8 shows as the replacement character, which may also stand there by right. A text in which it
    // cannot stand, because it has one byte for each character in memory, is not searched at all.
    if (text.includes(REPLACEMENT_CHARACTER) && !isUtf8(bytes.subarray(first, end))) {
      throw new TypeError('protobuf: a string is not UTF-8')
    }
    return text
  }

  #next(): number {
    const { pos } = this
    if (pos >= this.#end) endsEarly()
    this.pos = pos + 1
    return this.#bytes[pos] as number
  }

  /** Passes over `length` bytes and says where they began. */
  #take(length: number): number {
    const start = this.pos
    if (length > this.#end - start) endsEarly()
    this.pos = start + length
    return start
  }

  #copy(start: number, end: number): Uint8Array {
    return new Uint8Array(this.#bytes.subarray(start, end))
  }

  #varint64(): void {
    let low = 0
    let high = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#next()
      low |= (byte & 0x7f) << shift
      if (byte < 0x80) {
        halves[LOW] = low
        halves[HIGH] = 0
        return
      }
    }
    // The middle byte belongs to both halves.
    let byte = this.#next()
    low |= (byte & 0x0f) << 28
    high = (byte & 0x70) >> 4
    for (let shift = 3; byte >= 0x80; shift += 7) {
      if (shift > 31) throw new Error('protobuf: a varint has more than 10 bytes')
      byte = this.#next()
      high |= (byte & 0x7f) << shift
    }
    halves[LOW] = low
    halves[HIGH] = high
  }
}
