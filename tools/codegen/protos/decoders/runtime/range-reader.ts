/**
 * Reads the protobuf wire format within a range of a buffer, for the generated decoders.
 *
 * It accepts and rejects the same input as protobuf-es' `BinaryReader`:
 * - the type of a known field decides how it is read, not the wire type;
 * - a varint of 32 bits may have ten bytes;
 * - a nested message may end within a field;
 * - one byte order mark at the start of a string is removed.
 *
 * Deliberate differences:
 * - the bytes of unknown fields are copied into a plain `Uint8Array`, because the buffer belongs to a socket;
 * - `configureTextEncoding` has no effect;
 * - error messages differ;
 * - on Node, a message has at most 65,536 unknown fields.
 */
// #region Node: imports
import { isUtf8 } from 'node:buffer'
import type { Message, UnknownField } from '@bufbuild/protobuf'
// #endregion
import { MAX_SHORT_TEXT, shortAscii } from './short-ascii.ts'

// #region Node: types
/**
 * A generated decoder. It is a `MessageDecoder` for a `Buffer`, a type that the public types do not mention.
 */
export type BufferDecoder = (bytes: Buffer, start: number, end: number) => Message

// The function that `Buffer.toString` calls after it has checked its arguments. Node's types do not have it.
// It is read once, because each access searches the hundred methods of a buffer.
const { utf8Slice } = Buffer.prototype as Buffer & {
  utf8Slice(this: Buffer, start: number, end: number): string
}

// Shared memory of one 64-bit value: it is written as two halves and read as a bigint, without arithmetic on
// bigints.
const halves = new Int32Array(2)
const signed = new BigInt64Array(halves.buffer)
const [LOW, HIGH] = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? [0, 1] : [1, 0]

const REPLACEMENT_CHARACTER = '\ufffd'
// #endregion

/** Wire types. */
const VARINT = 0
const BIT64 = 1
const LENGTH_DELIMITED = 2
const START_GROUP = 3
const END_GROUP = 4
const BIT32 = 5

/** The maximum depth of nested messages and groups: protobuf's usual limit. */
export const MAX_DEPTH = 100

// #region Node
/** @throws Error that states that the message is nested deeper than {@link MAX_DEPTH}. */
export function tooDeep(typeName: string): never {
  throw new Error(`protobuf: ${typeName} is nested too deeply`)
}

/**
 * The maximum number of unknown fields in one message: a field of two bytes takes a hundred times as much
 * memory.
 */
const MAX_UNKNOWN_FIELDS = 65_536

/** Adds a field to the unknown fields of a message. */
export function withUnknown(field: UnknownField, others: UnknownField[] = []): UnknownField[] {
  if (others.push(field) > MAX_UNKNOWN_FIELDS) throw new Error('protobuf: too many unknown fields')
  return others
}
// #endregion

function endsEarly(): never {
  throw new RangeError('protobuf: the message ends within a field')
}

// #region Node
/** The maximum size of a string that is looked up. */
const MAX_KNOWN_BYTES = 64

/** The maximum size of a run: a string that is cut from a run keeps the whole run in memory. */
const MAX_RUN_BYTES = 128

/**
 * Short strings of earlier messages, which are reused because a field has few different values, and the
 * positions of strings in the current message.
 */
export class KnownStrings {
  /** Range of the string that identifies the message. Empty if the message has none. */
  idStart = 0
  idEnd = 0
  /** Start of the last string, after its byte order mark. */
  textStart = 0
  /**
   * Adjacent strings and the bytes between them, decoded together if all are ASCII, and their range. There is
   * at most one attempt per message.
   */
  #run: string | undefined
  #runStart = 0
  #runEnd = 0
  /** The slot of a string depends on its length and last byte. */
  readonly #texts: ({ readonly text: string; readonly bytes: Uint8Array } | undefined)[] = new Array(256)

  /** The string that these bytes encode, if an earlier message had it. */
  find(bytes: Uint8Array, start: number, end: number): string | undefined {
    const known = this.#texts[slotOf(bytes, start, end)]
    if (known?.bytes.length !== end - start) return undefined
    for (let n = start; n < end; n += 1) if (bytes[n] !== known.bytes[n - start]) return undefined
    return known.text
  }

  /** Starts a new message. */
  begin(start: number): void {
    this.idStart = this.idEnd = start
    this.#run = undefined
  }

  /**
   * Cuts a string from a run. One call of `utf8Slice` decodes a string and the short ones after it, up to
   * `limit`.
   */
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
    // The next field is a string with a field number below 16. Its tag and its length are ASCII, because it
    // ends within the limit.
    for (let next = first; next <= limit; next += 2 + (bytes[next + 1] as number)) {
      end = next
      if (next + 1 >= limit || ((bytes[next] as number) & 0x87) !== LENGTH_DELIMITED) break
    }
    // A run of one string saves nothing.
    const run = end === first ? '' : utf8Slice.call(bytes, start, end)
    // A run that is not ASCII has fewer characters than bytes, or contains the replacement character.
    const isAscii = run.length === end - start && !run.includes(REPLACEMENT_CHARACTER)
    this.#run = isAscii ? run : ''
    this.#runStart = start
    this.#runEnd = isAscii ? end : start
  }

  know(text: string, bytes: Uint8Array, start: number, end: number): void {
    // Copied, because `Buffer.slice` returns a view of the socket's memory.
    if (end - start > MAX_KNOWN_BYTES) return
    this.#texts[slotOf(bytes, start, end)] = { text, bytes: new Uint8Array(bytes.subarray(start, end)) }
  }
}

function slotOf(bytes: Uint8Array, start: number, end: number): number {
  return (end - start + 31 * (bytes[end - 1] as number)) & 0xff
}

/** The length of the byte order mark, or 0 if there is none. */
function markAt(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 3 || bytes[start] !== 0xef) return 0
  return bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf ? 3 : 0
}
// #endregion

/** Reads the bytes from `start` to `end` once, and no other bytes. */
export class RangeReader {
  /** Position of the next byte. */
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

  /** Field number and wire type as one number, as on the wire. */
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

  /**
   * Reads a length prefix and returns the end of the value. The end may be outside of the range: then the
   * next read throws.
   */
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
    // A negative int32 has ten bytes. The last five are ignored.
    for (let read = 5; byte >= 0x80; read += 1) {
      if (read === 10) throw new Error('protobuf: a varint has more than 10 bytes')
      byte = this.#next()
    }
    return value >>> 0
  }

  /** @throws TypeError if the bytes are not UTF-8, as proto3 requires. */
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

  // #region Node
  int32(): number {
    return this.uint32() | 0
  }

  /** Returns a `bigint`, also if `BUF_BIGINT_DISABLE` is set. */
  int64(): bigint {
    this.#varint64()
    return signed[0] as bigint
  }

  /**
   * An int64 as a `number` if a `number` can represent it, because a bigint costs as much as a short string.
   */
  wholeNumber(): number | bigint {
    this.#varint64()
    const high = halves[HIGH] as number
    return high >= 0 && high < 2 ** 21
      ? high * 2 ** 32 + ((halves[LOW] as number) >>> 0)
      : (signed[0] as bigint)
  }

  /** A string that many messages repeat. It is looked up before it is decoded. */
  knownString(texts: KnownStrings): string {
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

  /** A string, cut from the current run if possible. */
  cutString(texts: KnownStrings): string {
    const at = this.pos
    const length = this.uint32()
    const start = this.#take(length)
    texts.textStart = start + markAt(this.#bytes, start, this.pos)
    const text = texts.cut(this.#bytes, start, this.pos, this.#end)
    if (text !== undefined) return text
    this.pos = at
    return this.string()
  }
  // #endregion

  /**
   * Skips an unknown field.
   *
   * @param groups - How deeply groups may be nested.
   */
  unknown(tag: number, groups: number): UnknownField {
    const start = this.pos
    this.#skip(tag, groups)
    return { no: tag >>> 3, wireType: tag & 7, data: this.#copy(start, this.pos) }
  }

  #skip(tag: number, groups: number): void {
    switch (tag & 7) {
      case VARINT:
        // The varint may be longer than ten bytes, because its value is not used.
        while (this.#next() >= 0x80);
        return
      case BIT64:
        this.#take(8)
        return
      case LENGTH_DELIMITED:
        this.#take(this.uint32())
        return
      case START_GROUP:
        if (groups <= 0) throw new Error('protobuf: groups are nested too deeply')
        for (;;) {
          const inner = this.tag()
          if ((inner & 7) !== END_GROUP) this.#skip(inner, groups - 1)
          else if (inner >>> 3 === tag >>> 3) return
          else throw new Error('protobuf: the end tag belongs to another group')
        }
      case BIT32:
        this.#take(4)
        return
      default:
        throw new Error('protobuf: an end tag without a group')
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

  // #region Node: text
  #text(start: number, end: number): string {
    const bytes = this.#bytes
    const first = start + markAt(bytes, start, end)
    const text = utf8Slice.call(bytes, first, end)
    // `utf8Slice` replaces invalid UTF-8 by the replacement character, which a valid string may contain too.
    // The search is free for strings with one byte per character, because V8 knows that they cannot contain
    // it.
    if (text.includes(REPLACEMENT_CHARACTER) && !isUtf8(bytes.subarray(first, end))) {
      throw new TypeError('protobuf: a string is not UTF-8')
    }
    return text
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
  // #endregion

  #next(): number {
    const { pos } = this
    if (pos >= this.#end) endsEarly()
    this.pos = pos + 1
    return this.#bytes[pos] as number
  }

  /** Skips `length` bytes and returns their start. */
  #take(length: number): number {
    const start = this.pos
    if (length > this.#end - start) endsEarly()
    this.pos = start + length
    return start
  }

  #copy(start: number, end: number): Uint8Array {
    return new Uint8Array(this.#bytes.subarray(start, end))
  }
}
