/**
 * Lines of a state file, which is read in pieces: it may be longer than a text can be. A line may not, and none that
 * could not be read again is written.
 */
import type { StateRecord } from './state-record.ts'

/** Longer ones would not fit a text. */
export const MAX_LINE_BYTES = 512 * 1024 * 1024 - 64
const PIECE_BYTES = 1024 * 1024
const LINE_BREAK = 0x0a

/** A line with its end. */
interface WholeLine {
  /** `undefined`: it is too long. Nothing is read behind it. */
  readonly text: string | undefined
  /** Where the next one begins, in bytes. */
  readonly end: number
}

/** Sizes in bytes. */
interface Sizes {
  readonly pieceBytes?: number
  readonly maxLineBytes?: number
}

/**
 * The lines that end. What stands behind the last one is left out, unless it is too long already.
 *
 * @param readAt - Fills the bytes from a place of the file on, and returns how many; 0 at the end.
 */
export function* wholeLines(
  readAt: (bytes: Buffer, place: number) => number,
  { pieceBytes = PIECE_BYTES, maxLineBytes = MAX_LINE_BYTES }: Sizes = {},
): Generator<WholeLine, void, undefined> {
  /** Pieces of a line whose end was not found yet. */
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

/** The line of a record, or `undefined` where it would be too long. */
export function lineOf(record: StateRecord, maxLineBytes = MAX_LINE_BYTES): string | undefined {
  try {
    const line = `${JSON.stringify(record)}\n`
    return Buffer.byteLength(line) > maxLineBytes ? undefined : line
  } catch {
    // Longer than a text can be: there is nothing else in a record that could not be written.
    return undefined
  }
}
