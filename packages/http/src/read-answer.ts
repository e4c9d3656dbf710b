/** The bytes of an answer, up to a limit: a service that sends without end must not fill the memory. */
import { type AbortSignalLike, abortable, type ByteReaderLike, type ResponseLike } from '@brokerwire/core'

/** Thrown by {@link readBytes}. */
export const TOO_LARGE: unique symbol = Symbol('too large')

/** Hosts give an empty piece now and then, never in thousands. */
const MAX_EMPTY_PIECES = 1000

/** Lets go of a body that nobody will read. */
export function discardBody(response: ResponseLike): void {
  response.body
    ?.getReader()
    .cancel()
    .catch(() => undefined)
}

/**
 * Reads a body.
 *
 * @throws {@link TOO_LARGE}; the signal's reason; what the host throws where the connection breaks.
 */
export async function readBytes(
  response: ResponseLike,
  maxBytes: number,
  signal: AbortSignalLike,
): Promise<Uint8Array<ArrayBuffer>> {
  if (response.body === null) return new Uint8Array()
  const reader = response.body.getReader()
  try {
    return await readAll(reader, maxBytes, signal)
  } catch (error) {
    reader.cancel().catch(() => undefined)
    throw error
  }
}

async function readAll(
  reader: ByteReaderLike,
  maxBytes: number,
  signal: AbortSignalLike,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  let empty = 0
  for (;;) {
    const { done, value } = await abortable(reader.read(), signal)
    if (done) break
    if (value === undefined || value.length === 0) {
      // A body of nothing without end would never let a timer fire.
      empty += 1
      if (empty > MAX_EMPTY_PIECES) throw new Error('a body of empty pieces')
      continue
    }
    length += value.length
    if (length > maxBytes) throw TOO_LARGE
    chunks.push(value)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
