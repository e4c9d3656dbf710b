/**
 * The symbol of a payload without decoding it: newer states replace older ones of the same symbol before anybody asks for
 * their values. In every message it is field 1 of field 1, and every writer puts that first; whatever looks otherwise is
 * decoded whole.
 */
import { BASIC } from '../decoding/gen/quotes/quotes_layouts.ts'
import { MAX_DEPTH, RangeReader } from '../decoding/gen/range-reader.ts'
import { MAX_SHORT_TEXT, shortAscii } from '../decoding/gen/short-ascii.ts'
import { readTextFields } from '../decoding/gen/text-fields.ts'

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
      symbol = readTextFields(BASIC, bytes, reader.pos, limit).texts[1] ?? symbol
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
  const basicLength = bytes[start + 1] as number
  const length = bytes[start + 3] as number
  const from = start + 4
  const basicEnd = start + 2 + basicLength
  const isUsual =
    bytes[start] === FIRST_FIELD &&
    basicLength < 0x80 &&
    bytes[start + 2] === FIRST_FIELD &&
    length > 0 &&
    length <= MAX_SHORT_TEXT &&
    from + length <= basicEnd &&
    basicEnd <= end
  return (isUsual ? shortAscii(bytes, from, length) : undefined) ?? slowly(bytes, start, end)
}
