/**
 * Faults of one outgoing data frame. The frame is a gRPC prefix (flag byte and length) and a message. Most
 * faults change the bytes of a finished frame, so that up to the changed byte the framing is that of the
 * server library. Only `corrupt-payload`, `swap` and `drop` are applied to messages before they are framed.
 */
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { unreachable } from '@brokerwire/core/internal'

/** Faults of one data frame. */
export const FRAME_FAULTS = [
  'duplicate',
  'swap',
  'drop',
  'split',
  'corrupt-message',
  'invalid-utf8',
  'corrupt-payload',
  'compressed-flag',
  'oversized-length',
  'oversized-message',
  'truncate',
] as const

/**
 * - `duplicate`: the frame is sent twice.
 * - `swap`: the frame is sent after the next one of its subscription. Until there is a next one, it is not sent.
 * - `drop`: the frame is never sent to its subscription.
 * - `split`: every byte of the frame is written separately, in its own HTTP/2 DATA frame.
 * - `corrupt-message`: the message is no longer protobuf.
 * - `invalid-utf8`: the message is protobuf, but one of its strings is not UTF-8.
 * - `corrupt-payload`: the message is protobuf, but its JSON is truncated.
 * - `compressed-flag`: the envelope claims a compression that was not negotiated.
 * - `oversized-length`: the envelope claims 2 GiB.
 * - `oversized-message`: the message has 17 MiB, more than most clients accept.
 * - `truncate`: half of the frame is sent, followed by RST_STREAM.
 */
export type FrameFault = (typeof FRAME_FAULTS)[number]

/** The chunks to write instead of a frame, and whether the stream is reset afterwards. */
export interface FaultyFrame {
  readonly chunks: readonly Uint8Array[]
  readonly thenReset: boolean
}

const HEADER_BYTES = 5
/** A protobuf tag with wire type 7, which does not exist. */
const IMPOSSIBLE_TAG = 0x0f
/** Field 3, a string in the messages of both services, with a byte that is invalid in UTF-8. */
const INVALID_TEXT = Uint8Array.of(0x1a, 1, 0xff)
/** Field 15, which no message defines, with 17 MiB of zeros. */
const LONG_FIELD_HEAD = Uint8Array.of(0x7a, 0x80, 0x80, 0xc0, 0x08)
const LONG_FIELD_BYTES = 17 * 1024 * 1024

/** Applies a fault to a copy of a frame. */
export function applyFrameFault(fault: FrameFault, frame: Uint8Array): FaultyFrame {
  switch (fault) {
    case 'duplicate':
      return { chunks: [frame, frame], thenReset: false }
    case 'split':
      return { chunks: Array.from(frame, (byte) => Uint8Array.of(byte)), thenReset: false }
    case 'corrupt-message':
      return {
        chunks: [changedCopy(frame, (copy) => copy.fill(IMPOSSIBLE_TAG, HEADER_BYTES))],
        thenReset: false,
      }
    case 'invalid-utf8':
      return { chunks: [appendField(frame, INVALID_TEXT)], thenReset: false }
    case 'oversized-message':
      return { chunks: [appendField(frame, createLongField())], thenReset: false }
    case 'swap':
    case 'drop':
    case 'corrupt-payload':
      // These faults were already applied to the message before it was framed.
      return { chunks: [frame], thenReset: false }
    case 'compressed-flag':
      return { chunks: [changedCopy(frame, (copy) => copy.set([1], 0))], thenReset: false }
    case 'oversized-length':
      return {
        chunks: [changedCopy(frame, (copy) => copy.set([0x7f, 0xff, 0xff, 0xff], 1))],
        thenReset: false,
      }
    case 'truncate':
      return { chunks: [frame.slice(0, Math.ceil(frame.length / 2))], thenReset: true }
    default:
      return unreachable(fault)
  }
}

function changedCopy(frame: Uint8Array, change: (copy: Uint8Array) => void): Uint8Array {
  const copy = frame.slice()
  change(copy)
  return copy
}

/** Appends a field to the message of a frame. A compressed message is decompressed first. */
function appendField(frame: Uint8Array, field: Uint8Array): Uint8Array {
  const message = decompressMessage(frame)
  const changed = new Uint8Array(HEADER_BYTES + message.length + field.length)
  new DataView(changed.buffer).setUint32(1, message.length + field.length)
  changed.set(message, HEADER_BYTES)
  changed.set(field, HEADER_BYTES + message.length)
  return changed
}

function decompressMessage(frame: Uint8Array): Uint8Array {
  const message = frame.subarray(HEADER_BYTES)
  if (frame[0] === 0) return message
  const isGzip = message[0] === 0x1f && message[1] === 0x8b
  return isGzip ? gunzipSync(message) : brotliDecompressSync(message)
}

function createLongField(): Uint8Array {
  const field = new Uint8Array(LONG_FIELD_HEAD.length + LONG_FIELD_BYTES)
  field.set(LONG_FIELD_HEAD)
  return field
}
