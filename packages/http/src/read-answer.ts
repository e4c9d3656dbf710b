/** The bytes of an answer, up to a limit: a service that sends without end must not fill the memory. */
import type { AbortSignalLike, ByteReaderLike } from '@brokerwire/core'
import { throwIfAborted } from '@brokerwire/core/internal'

/** Thrown by {@link readAll} for a body that is longer than the limit. */
export class BodyTooLarge extends Error {}

/** Hosts give an empty piece now and then, never in thousands. */
const MAX_EMPTY_PIECES = 1000

/** Through functions of its own: the report that workerd makes of a body that breaks off stays one without our code in it. */
const readPiece = (reader: ByteReaderLike): ReturnType<ByteReaderLike['read']> =>
  new Promise((resolve, reject) => {
    reader.read().then(
      (piece) => resolve(piece),
      (error: unknown) => reject(error),
    )
  })

/** Whether nothing else stands in a piece's buffer: then it needs no copy. */
const ownsItsBuffer = (piece: Uint8Array): piece is Uint8Array<ArrayBuffer> =>
  piece.constructor === Uint8Array &&
  piece.buffer instanceof ArrayBuffer &&
  piece.byteLength === piece.buffer.byteLength

/**
 * Reads a body.
 *
 * @throws {@link BodyTooLarge}; the signal's reason; what the host throws if the connection breaks.
 */
export async function readAll(
  reader: ByteReaderLike,
  maxBytes: number,
  signal: AbortSignalLike,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  let length = 0
  let empty = 0
  for (;;) {
    const { done, value } = await readPiece(reader)
    throwIfAborted(signal)
    if (done) break
    if (value?.length) {
      length += value.length
      if (length > maxBytes) throw new BodyTooLarge()
      pieces.push(value)
    } else {
      // A body of nothing without end would never let a timer fire.
      empty += 1
      if (empty > MAX_EMPTY_PIECES) throw new Error()
    }
  }
  const [first] = pieces
  // None is empty.
  if (first?.length === length && ownsItsBuffer(first)) return first
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
