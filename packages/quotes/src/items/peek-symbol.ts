/**
 * The symbol of an undecoded payload, for conflation. In every message it is field 1 of field 1 (`basic`),
 * and usually comes first. Payloads with another order take a slow path.
 */
import { BASIC } from '../decoding/gen/quotes/quotes_layouts.ts'
import { MAX_DEPTH, RangeReader } from '../decoding/gen/range-reader.ts'
import { MAX_SHORT_TEXT, shortAscii } from '../decoding/gen/short-ascii.ts'
import { readTextFields } from '../decoding/gen/text-fields.ts'

/** Tag of field 1, length-delimited. */
const FIRST_FIELD = 0x0a

/**
 * Reads every field, because several `basic` fields are merged and the last symbol is used, as in a decoder.
 */
function parseSymbolSlowPath(bytes: Uint8Array, start: number, end: number): string | undefined {
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

/** @returns The symbol; `undefined` if there is no symbol, or the bytes are not a message. */
export function peekSymbol(bytes: Uint8Array, start: number, end: number): string | undefined {
  // Fast path: tag and length of `basic`, then tag and length of its symbol, one byte each.
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
  return (isUsual ? shortAscii(bytes, from, length) : undefined) ?? parseSymbolSlowPath(bytes, start, end)
}
