/**
 * Lines of a state file, which is read in chunks because it may be longer than the longest string. A single line may
 * not, and longer ones are not written.
 */
import type { StateRecord } from './state-record.ts'

/** Longer lines do not fit a string. */
export const MAX_LINE_BYTES = 512 * 1024 * 1024 - 64
const PIECE_BYTES = 1024 * 1024
const LINE_BREAK = 0x0a

/** A complete line. */
interface WholeLine {
  /** `undefined` if it is too long. Reading stops there. */
  readonly text: string | undefined
  /** Offset of the next line, in bytes. */
  readonly end: number
}

/** Sizes in bytes. */
interface Sizes {
  readonly pieceBytes?: number
  readonly maxLineBytes?: number
}

/**
 * Yields the complete lines. An incomplete last line is ignored, unless it is already too long.
 *
 * @param readAt - Fills a buffer from an offset of the file and returns the number of bytes; 0 at the end.
 */
export function* wholeLines(
  readAt: (bytes: Buffer, place: number) => number,
  { pieceBytes = PIECE_BYTES, maxLineBytes = MAX_LINE_BYTES }: Sizes = {},
): Generator<WholeLine, void, undefined> {
  /** Chunks of an incomplete line. */
  let begun: Buffer[] = []
  let begunBytes = 0
  let place = 0
  for (;;) {
    const bytes = Buffer.allocUnsafe(pieceBytes)
    const piece = bytes.subarray(0, readAt(bytes, place))
    if (piece.length === 0) return
    let from = 0
    for (;;) {
      const at = piece.indexOf(LINE_BREAK, from)
      const part = piece.subarray(from, at < 0 ? undefined : at)
      begunBytes += part.length
      if (begunBytes > maxLineBytes) {
        yield { text: undefined, end: place + from }
        return
      }
      begun.push(part)
      if (at < 0) break
      from = at + 1
      yield { text: Buffer.concat(begun).toString(), end: place + from }
      begun = []
      begunBytes = 0
    }
    place += piece.length
  }
}

/** The line of a record; `undefined` if it would be too long. */
export function lineOf(record: StateRecord, maxLineBytes = MAX_LINE_BYTES): string | undefined {
  try {
    const line = `${JSON.stringify(record)}\n`
    return Buffer.byteLength(line) > maxLineBytes ? undefined : line
  } catch {
    // The only possible error: the string would be too long.
    return undefined
  }
}
