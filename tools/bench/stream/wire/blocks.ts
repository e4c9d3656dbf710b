/**
 * About a MiB of DATA frames, built once and sent again and again: sending costs the server one large write.
 *
 * Every block holds whole messages, so that a run is a number of blocks.
 */
import type { Shape } from '../plan.ts'
import { FrameType, HEADER_BYTES, writeFrameHeader } from './frames.ts'
import { envelope, MESSAGES } from './messages.ts'

const BLOCK_BYTES = 1024 * 1024
/** The largest frame that may be sent without asking (SETTINGS_MAX_FRAME_SIZE). */
const PACKED_FRAME_BYTES = 16_384

export interface Block {
  readonly bytes: Buffer
  /** Where each frame begins in `bytes`, and after the last one the end. */
  readonly offsets: readonly number[]
  readonly messages: number
  /** Bytes of DATA, without the frames' headers: what flow control counts. */
  readonly dataBytes: number
  /** Characters of all payloads. */
  readonly payloadChars: number
}

function cut(bytes: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  return pieces
}

function buildBlock(shape: Shape): Block {
  const turn = MESSAGES.map(({ bytes }) => envelope(bytes))
  const turnBytes = turn.reduce((sum, { length }) => sum + length, 0)
  const turns = Math.floor(BLOCK_BYTES / turnBytes)
  const envelopes = Array.from({ length: turns }, () => turn).flat()
  const contents = shape === 'permsg' ? envelopes : cut(Buffer.concat(envelopes), PACKED_FRAME_BYTES)
  const dataBytes = turns * turnBytes
  const bytes = Buffer.alloc(dataBytes + contents.length * HEADER_BYTES)
  const offsets = [0]
  let at = 0
  for (const content of contents) {
    writeFrameHeader(bytes, at, content.length, FrameType.data, 0, 0)
    bytes.set(content, at + HEADER_BYTES)
    at += HEADER_BYTES + content.length
    offsets.push(at)
  }
  const payloadChars = turns * MESSAGES.reduce((sum, { message }) => sum + message.payload.length, 0)
  return { bytes, offsets, messages: envelopes.length, dataBytes, payloadChars }
}

const BLOCKS: Readonly<Record<Shape, Block>> = { permsg: buildBlock('permsg'), packed: buildBlock('packed') }

export const block = (shape: Shape): Block => BLOCKS[shape]

/** A copy whose frames belong to this stream. */
export function blockOfStream(shape: Shape, streamId: number): Block {
  const bytes = Buffer.from(BLOCKS[shape].bytes)
  for (const at of BLOCKS[shape].offsets.slice(0, -1)) bytes.writeUInt32BE(streamId, at + 5)
  return { ...BLOCKS[shape], bytes }
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
