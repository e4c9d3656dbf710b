/**
 * The symbol of a payload without decoding it: newer states replace older ones of the same symbol before anybody asks for
 * their values. In every message it is field 1 of field 1, and every writer puts that first; whatever looks otherwise is
 * decoded whole.
 */
import { decodeBasic } from '../decoding/gen/quotes/quotes_decoders.ts'
import { MAX_DEPTH, RangeReader } from '../decoding/gen/range-reader.ts'
import { MAX_SHORT_TEXT, shortAscii } from '../decoding/gen/short-ascii.ts'

/** Field 1, with a length. */
const FIRST_FIELD = 0x0a

/** Looks at every field: several parts of `basic` are one, and the last symbol wins, as in a decoder. */
function slowly(bytes: Uint8Array, start: number, end: number): string | undefined {
  try {
    const reader = new RangeReader(bytes, start, end)
    let symbol: string | undefined
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag !== FIRST_FIELD) {
        reader.unknown(tag, MAX_DEPTH)
        continue
      }
      const limit = reader.limit()
      symbol = decodeBasic(bytes, reader.pos, limit).symbol || symbol
      reader.pos = limit
    }
    return symbol
  } catch {
    return undefined
  }
}

/** @returns `undefined` where there is none, or the bytes are no message. */
export function peekSymbol(bytes: Uint8Array, start: number, end: number): string | undefined {
  // Tag and length of `basic`, tag and length of its symbol, each in one byte.
  if (end - start < 4 || bytes[start] !== FIRST_FIELD || bytes[start + 2] !== FIRST_FIELD) {
    return slowly(bytes, start, end)
  }
  const basicLength = bytes[start + 1] as number
  const length = bytes[start + 3] as number
  const from = start + 4
  const basicEnd = start + 2 + basicLength
  if (basicLength >= 0x80 || length === 0 || from + length > basicEnd || basicEnd > end) {
    return slowly(bytes, start, end)
  }
  if (length <= MAX_SHORT_TEXT) {
    const text = shortAscii(bytes, from, length)
    if (text !== undefined) return text
  }
  try {
    return decodeBasic(bytes, start + 2, basicEnd).symbol || undefined
  } catch {
    return undefined
  }
}
