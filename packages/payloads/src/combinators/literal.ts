/** A decoder of strings with fixed values, for the tag of a variant. */

import { INVALID, invalid } from '../decode-context.ts'
import { type Decoder, decoder } from '../decoder.ts'
import { decodeString } from './string.ts'

/**
 * Creates a decoder of strings that accepts only these values.
 *
 * @example
 * ```ts
 * import { decodeJson, literal } from '@brokerwire/payloads'
 *
 * const side = literal('BUY', 'SELL')
 * console.log(decodeJson(side, '"BUY"').ok) // true
 * console.log(decodeJson(side, '"SHORT"').ok) // false
 * ```
 */
export function literal<const Known extends string>(...values: readonly Known[]): Decoder<Known> {
  const expected = values.join(' or ')
  return decoder({ kind: 'literal', values }, (value, context) => {
    const name = decodeString(value, context, expected)
    if (name === INVALID || values.includes(name as Known)) return name as Known | typeof INVALID
    return invalid(context, 'wrong-format', expected, value)
  })
}
