/** Names of which no other is accepted: the tag of a union's member. */
import { type Decoder, decoder } from '../decoder.ts'
import { UNREADABLE, unreadable } from '../reading.ts'
import { readText } from './text.ts'

/**
 * One of these texts.
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
  return decoder({ kind: 'literal', values }, (value, reading) => {
    const name = readText(value, reading, expected)
    if (name === UNREADABLE || values.includes(name as Known)) return name as Known | typeof UNREADABLE
    return unreadable(reading, 'wrong-format', expected, value)
  })
}
