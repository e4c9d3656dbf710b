/**
 * Reads and formats the lines of a state file. The file is read in chunks, because it may be longer than the
 * maximum length of a string. A single line must fit into a string; a longer line is not written.
 */
import type { StateRecord } from './state-record.ts'

/** Maximum size of a line, which must fit into a string. */
export const MAX_LINE_BYTES = 512 * 1024 * 1024 - 64
const CHUNK_BYTES = 1024 * 1024
const LINE_BREAK = 0x0a

/** A complete line. */
interface CompleteLine {
  /** The line, or `undefined` if it is too long. Reading stops after a line that is too long. */
  readonly text: string | undefined
  /** Offset of the next line, in bytes. */
  readonly end: number
}

/** Sizes in bytes. */
interface Sizes {
  readonly chunkBytes?: number
  readonly maxLineBytes?: number
}

/**
 * Yields the complete lines. An incomplete last line is ignored, unless it is already too long.
 *
 * @param readAt - Fills a buffer from an offset of the file and returns the number of bytes that were read. 0
 * at the end of the file.
 */
export function* completeLines(
  readAt: (bytes: Buffer, offset: number) => number,
  { chunkBytes = CHUNK_BYTES, maxLineBytes = MAX_LINE_BYTES }: Sizes = {},
): Generator<CompleteLine, void, undefined> {
  /** Parts of a line whose end was not read yet. */
  let partialLine: Buffer[] = []
  let partialBytes = 0
  let offset = 0
  for (;;) {
    const bytes = Buffer.allocUnsafe(chunkBytes)
    const chunk = bytes.subarray(0, readAt(bytes, offset))
    if (chunk.length === 0) return
    let from = 0
    for (;;) {
      const at = chunk.indexOf(LINE_BREAK, from)
      const part = chunk.subarray(from, at < 0 ? undefined : at)
      partialBytes += part.length
      if (partialBytes > maxLineBytes) {
        yield { text: undefined, end: offset + from }
        return
      }
      partialLine.push(part)
      if (at < 0) break
      from = at + 1
      yield { text: Buffer.concat(partialLine).toString(), end: offset + from }
      partialLine = []
      partialBytes = 0
    }
    offset += chunk.length
  }
}

/** Formats the line of a record. Returns `undefined` if the line would be too long. */
export function formatLine(record: StateRecord, maxLineBytes = MAX_LINE_BYTES): string | undefined {
  try {
    const line = `${JSON.stringify(record)}\n`
    return Buffer.byteLength(line) > maxLineBytes ? undefined : line
  } catch {
    // The only possible error here is that the string would be too long.
    return undefined
  }
}
