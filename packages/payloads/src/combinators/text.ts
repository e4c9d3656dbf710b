/** Text. A number in its place is read as its source text: the wire mixes the two. */
import { type Decoder, decoder } from '../decoder.ts'
import { drift, exactNumber, type Reading, UNREADABLE, unreadable } from '../reading.ts'
import { isNumberText } from '../values/number-text.ts'

/** Any text. A JSON number is taken as its exact source text. */
export const text: Decoder<string> = decoder({ kind: 'text' }, (value, reading) =>
  readText(value, reading, 'text'),
)

/** The text of a string, or the source text of a number. */
export function readText(value: unknown, reading: Reading, expected: string): string | typeof UNREADABLE {
  if (typeof value === 'string') return value
  if (isNumberText(value)) return value.text
  if (typeof value !== 'number') return unreadable(reading, 'wrong-type', expected, value)
  drift(reading, 'unexpected-type', `${expected} as a JSON string`, value)
  return (
    exactNumber(reading, value) ??
    unreadable(reading, 'wrong-type', `${expected}, or a number with its source text`, value)
  )
}

/** A text of a certain form. */
export function stringOfFormat<T extends string>(
  kind: 'decimal' | 'instant',
  expected: string,
  is: (text: string) => text is T,
): Decoder<T> {
  return decoder({ kind }, (value, reading) => {
    const found = readText(value, reading, expected)
    if (found === UNREADABLE || is(found)) return found
    return unreadable(reading, 'wrong-format', expected, value)
  })
}
