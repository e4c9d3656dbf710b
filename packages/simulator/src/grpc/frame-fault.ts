/**
 * What can be done to one data frame on its way out. The frame is a gRPC envelope: flag byte, length, message.
 *
 * Faults change bytes, not messages: the framing stays the server library's own, up to the byte that is spoiled. Two
 * are done to messages before they are framed: `corrupt-payload` and `swap`.
 */
import { unreachable } from '@brokerwire/core/internal'

/** Faults of one data frame. */
export const FRAME_FAULTS = [
  'duplicate',
  'swap',
  'split',
  'corrupt-message',
  'corrupt-payload',
  'compressed-flag',
  'oversized-length',
  'truncate',
] as const

/**
 * - `duplicate`: the frame goes out twice.
 * - `swap`: the frame goes out after the next one of its subscription. While there is no next one, it is held back.
 * - `split`: every byte in an HTTP/2 DATA frame of its own.
 * - `corrupt-message`: the message is no longer protobuf.
 * - `corrupt-payload`: the message is, but the JSON in it ends early.
 * - `compressed-flag`: the envelope claims a compression that was not negotiated.
 * - `oversized-length`: the envelope claims 2 GiB.
 * - `truncate`: half of the frame, then RST_STREAM.
 */
export type FrameFault = (typeof FRAME_FAULTS)[number]

/** What is written instead of a frame, and whether the stream is reset afterwards. */
export interface FaultyFrame {
  readonly chunks: readonly Uint8Array[]
  readonly thenReset: boolean
}

const HEADER_BYTES = 5
/** A protobuf tag with wire type 7, which does not exist. */
const IMPOSSIBLE_TAG = 0x0f

/** Applies a fault to a frame. The frame itself is left as it is. */
export function applyFrameFault(fault: FrameFault, frame: Uint8Array): FaultyFrame {
  switch (fault) {
    case 'duplicate':
      return { chunks: [frame, frame], thenReset: false }
    case 'split':
      return { chunks: Array.from(frame, (byte) => Uint8Array.of(byte)), thenReset: false }
    case 'corrupt-message':
      return { chunks: [changed(frame, (copy) => copy.fill(IMPOSSIBLE_TAG, HEADER_BYTES))], thenReset: false }
    case 'swap':
    case 'corrupt-payload':
      // Done to the message, before it was framed.
      return { chunks: [frame], thenReset: false }
    case 'compressed-flag':
      return { chunks: [changed(frame, (copy) => copy.set([1], 0))], thenReset: false }
    case 'oversized-length':
      return { chunks: [changed(frame, (copy) => copy.set([0x7f, 0xff, 0xff, 0xff], 1))], thenReset: false }
    case 'truncate':
      return { chunks: [frame.slice(0, Math.ceil(frame.length / 2))], thenReset: true }
    default:
      return unreachable(fault)
  }
}

function changed(frame: Uint8Array, change: (copy: Uint8Array) => void): Uint8Array {
  const copy = frame.slice()
  change(copy)
  return copy
}
