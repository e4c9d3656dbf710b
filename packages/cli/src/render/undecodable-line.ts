/** Undecodable messages as lines. */
import type { UndecodableItem } from '../stream-item.ts'
import type { Line } from './line.ts'

/** Maximum size of a message whose bytes are shown. */
const MAX_SHOWN_BYTES = 256

/** @param stream - Name of the stream. */
export function undecodableLine(stream: string, item: UndecodableItem): Line {
  const { length, message, bytes, receivedAtMs } = item
  const shown = bytes === undefined || length > MAX_SHOWN_BYTES ? '' : `; base64 ${toBase64(bytes)}`
  const text = `${stream} stream: a message of ${length} bytes cannot be decoded: ${message}${shown}`
  return { at: receivedAtMs, tag: 'undecodable', tone: 'bad', text }
}

/**
 * Encodes all bytes as base64. They are not truncated, because a truncated secret would not be recognized and
 * removed.
 */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
}
