/**
 * A decoder of strings. A number is decoded as its source text, because a field may be a string or a number
 * on the wire.
 */

import { type DecodeContext, exactNumber, INVALID, invalid, reportDrift } from '../decode-context.ts'
import { type Decoder, decoder } from '../decoder.ts'
import { isNumberText } from '../values/number-text.ts'

/** Decodes any string. A JSON number becomes its exact source text. */
export const string: Decoder<string> = decoder({ kind: 'string' }, (value, context) =>
  decodeString(value, context, 'text'),
)

/** Returns a string, or the source text of a number. */
export function decodeString(
  value: unknown,
  context: DecodeContext,
  expected: string,
): string | typeof INVALID {
  if (typeof value === 'string') return value
  if (isNumberText(value)) return value.text
  if (typeof value !== 'number') return invalid(context, 'wrong-type', expected, value)
  reportDrift(context, 'unexpected-type', `${expected} as a JSON string`, value)
  return (
    exactNumber(context, value) ??
    invalid(context, 'wrong-type', `${expected}, or a number with its source text`, value)
  )
}

/** Creates a decoder of strings with a format. */
export function stringOfFormat<T extends string>(
  kind: 'decimal' | 'instant',
  expected: string,
  is: (text: string) => text is T,
): Decoder<T> {
  return decoder({ kind }, (value, context) => {
    const found = decodeString(value, context, expected)
    if (found === INVALID || is(found)) return found
    return invalid(context, 'wrong-format', expected, value)
  })
}
