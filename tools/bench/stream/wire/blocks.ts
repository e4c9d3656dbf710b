/**
 * About a MiB of DATA frames, built once and sent again and again: sending costs the server one large write.
 *
 * Every block holds whole messages, so that a run is a number of blocks. Before a copy is sent, its messages are
 * numbered anew.
 */
import type { Service, Shape } from '../plan.ts'
import { FrameType, HEADER_BYTES, writeFrameHeader } from './frames.ts'
import { envelope, MESSAGES, NUMBER_DIGITS } from './messages.ts'

const BLOCK_BYTES = 1024 * 1024
/** The largest frame that may be sent without asking (SETTINGS_MAX_FRAME_SIZE). */
const PACKED_FRAME_BYTES = 16_384
const ENVELOPE_BYTES = 5
const DIGIT_ZERO = 0x30

export interface Block {
  readonly bytes: Buffer
  /** Where each frame begins in `bytes`, and after the last one the end. */
  readonly offsets: readonly number[]
  readonly messages: number
  /** Bytes of DATA, without the frames' headers: what flow control counts. */
  readonly dataBytes: number
  /** Characters of all payloads. */
  readonly payloadChars: number
  /** Of every message in turn: where the digits of its number stand in `bytes`, each digit by itself. */
  readonly digits: readonly Int32Array[]
}

function cut(bytes: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  return pieces
}

function buildBlock(shape: Shape, service: Service): Block {
  const kinds = MESSAGES[service]
  const turnBytes = kinds.reduce((sum, { bytes }) => sum + ENVELOPE_BYTES + bytes.length, 0)
  const turns = Math.floor(BLOCK_BYTES / turnBytes)
  const all = Array.from({ length: turns }, () => kinds).flat()
  const envelopes = all.map(({ bytes }) => envelope(bytes))
  const contents = shape === 'permsg' ? envelopes : cut(Buffer.concat(envelopes), PACKED_FRAME_BYTES)
  const dataBytes = turns * turnBytes
  const bytes = Buffer.alloc(dataBytes + contents.length * HEADER_BYTES)
  const offsets = [0]
  /** Of each byte of DATA, where it stands among the frames. */
  const places = new Int32Array(dataBytes)
  let at = 0
  let data = 0
  for (const content of contents) {
    writeFrameHeader(bytes, at, content.length, FrameType.data, 0, 0)
    bytes.set(content, at + HEADER_BYTES)
    for (let n = 0; n < content.length; n += 1) places[data + n] = at + HEADER_BYTES + n
    at += HEADER_BYTES + content.length
    data += content.length
    offsets.push(at)
  }
  let begin = 0
  const digits = all.map(({ bytes: message, numbersAt }) => {
    const from = begin + ENVELOPE_BYTES
    begin = from + message.length
    return Int32Array.from(
      numbersAt.flatMap((place) => Array.from({ length: NUMBER_DIGITS }, (_, n) => from + place + n)),
      (place) => places[place] ?? 0,
    )
  })
  const payloadChars = all.reduce((sum, { payload }) => sum + payload.length, 0)
  return { bytes, offsets, messages: all.length, dataBytes, payloadChars, digits }
}

const built = new Map<string, Block>()

export function block(shape: Shape, service: Service = 'trade'): Block {
  const known = built.get(shape + service)
  if (known !== undefined) return known
  const made = buildBlock(shape, service)
  built.set(shape + service, made)
  return made
}

/** A copy whose frames belong to this stream. */
export function blockOfStream(original: Block, streamId: number): Block {
  const bytes = Buffer.from(original.bytes)
  for (const at of original.offsets.slice(0, -1)) bytes.writeUInt32BE(streamId, at + 5)
  return { ...original, bytes }
}

/** Numbers the messages of a copy, the first one with `first`. */
export function renumber({ bytes, digits }: Block, first: number): void {
  for (let n = 0; n < digits.length; n += 1) {
    const places = digits[n] as Int32Array
    let rest = first + n
    for (let digit = NUMBER_DIGITS - 1; digit >= 0; digit -= 1) {
      const character = DIGIT_ZERO + (rest % 10)
      rest = (rest / 10) | 0
      for (let name = digit; name < places.length; name += NUMBER_DIGITS) {
        bytes[places[name] as number] = character
      }
    }
  }
}

/** How many frames from `first` on fit into so many bytes of window. */
export function framesThatFit(block: Block, first: number, windowBytes: number): number {
  const from = block.offsets[first] ?? 0
  let low = first
  let high = block.offsets.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const data = (block.offsets[middle] ?? 0) - from - (middle - first) * HEADER_BYTES
    if (data <= windowBytes) low = middle
    else high = middle - 1
  }
  return low - first
}
