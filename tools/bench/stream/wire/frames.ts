/** HTTP/2 frames (RFC 9113, section 4.1): building them, and finding them in what a socket received. */

export const FrameType = {
  data: 0,
  headers: 1,
  resetStream: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const Flag = { ack: 1, endStream: 1, endHeaders: 4, padded: 8 } as const

export const HEADER_BYTES = 9
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
export const DEFAULT_WINDOW = 65_535
export const MAX_WINDOW = 0x7f_ff_ff_ff

/** Setting of section 6.5.2. */
export const INITIAL_WINDOW_SIZE = 4

export interface Frame {
  readonly type: number
  readonly flags: number
  readonly streamId: number
  readonly payload: Buffer
}

export function writeFrameHeader(
  target: Buffer,
  at: number,
  length: number,
  type: number,
  flags: number,
  streamId: number,
): void {
  target.writeUIntBE(length, at, 3)
  target.writeUInt8(type, at + 3)
  target.writeUInt8(flags, at + 4)
  target.writeUInt32BE(streamId, at + 5)
}

export function encodeFrame(
  type: number,
  flags: number,
  streamId: number,
  payload: Uint8Array = Buffer.alloc(0),
): Buffer {
  const frame = Buffer.alloc(HEADER_BYTES + payload.length)
  writeFrameHeader(frame, 0, payload.length, type, flags, streamId)
  frame.set(payload, HEADER_BYTES)
  return frame
}

export function encodeSettings(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(settings.length * 6)
  settings.forEach(([id, value], i) => {
    payload.writeUInt16BE(id, i * 6)
    payload.writeUInt32BE(value, i * 6 + 2)
  })
  return encodeFrame(FrameType.settings, 0, 0, payload)
}

export function decodeSettings(payload: Buffer): [id: number, value: number][] {
  const settings: [number, number][] = []
  for (let at = 0; at + 6 <= payload.length; at += 6) {
    settings.push([payload.readUInt16BE(at), payload.readUInt32BE(at + 2)])
  }
  return settings
}

export function encodeWindowUpdate(streamId: number, increment: number): Buffer {
  const payload = Buffer.alloc(4)
  payload.writeUInt32BE(increment)
  return encodeFrame(FrameType.windowUpdate, 0, streamId, payload)
}

/** What DATA carries, without its padding. */
export function dataOf({ flags, payload }: Frame): Buffer {
  return (flags & Flag.padded) === 0 ? payload : payload.subarray(1, payload.length - payload.readUInt8(0))
}

/** Cuts what comes in pieces into frames. */
export function createFrameReader(): (chunk: Buffer) => Frame[] {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const frames: Frame[] = []
    let at = 0
    while (bytes.length - at >= HEADER_BYTES) {
      const length = bytes.readUIntBE(at, 3)
      const end = at + HEADER_BYTES + length
      if (end > bytes.length) break
      frames.push({
        type: bytes.readUInt8(at + 3),
        flags: bytes.readUInt8(at + 4),
        streamId: bytes.readUInt32BE(at + 5) & MAX_WINDOW,
        payload: bytes.subarray(at + HEADER_BYTES, end),
      })
      at = end
    }
    rest = bytes.subarray(at)
    return frames
  }
}
