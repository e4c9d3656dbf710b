/**
 * Names of which only some are known.
 *
 * The service adds values without notice, so an unknown one is a value too, kept as text.
 */

import { INVALID, reportDrift } from '../decode-context.ts'
import { type Decoder, decoder } from '../decoder.ts'
import { decodeString } from './string.ts'

/** One of the known names, or any other text: `default:` of a `switch` is where the others arrive. */
export type OpenEnum<Known extends string> = Known | (string & Record<never, never>)

/**
 * A text that is none of the names in a union's other members.
 *
 * At run time it is plain text, without this suffix: the template keeps a comparison with a known name from matching
 * the member that holds the unknown ones, so that a `switch` over the tag narrows. To compare it with a name that
 * this version does not know, make it a `string` first.
 */
export type UnknownName = `${string} (not known to this version)`

/**
 * A text with known values. Unknown ones are kept.
 *
 * @example
 * ```ts
 * import { decodeJson, openEnum } from '@brokerwire/payloads'
 *
 * const side = openEnum('BUY', 'SELL')
 * const result = decodeJson(side, '"SHORT"')
 * if (result.ok) console.log(result.value) // SHORT
 * ```
 */
export function openEnum<const Known extends string>(...values: readonly Known[]): Decoder<OpenEnum<Known>> {
  return names<OpenEnum<Known>>(values)
}

/**
 * An {@link openEnum} in the member of a union that takes what the others do not: it narrows.
 *
 * @example
 * ```ts
 * import { decimal, decodeJson, literal, object, otherNames, variant } from '@brokerwire/payloads'
 *
 * const movement = variant(
 *   'type',
 *   { CASH: object({ type: literal('CASH'), amount: decimal }) },
 *   object({ type: otherNames('SHARES') }),
 * )
 * const result = decodeJson(movement, '{"type":"LATER"}')
 * if (result.ok) console.log(result.value.type) // LATER
 * ```
 */
export function otherNames<const Known extends string>(
  ...values: readonly Known[]
): Decoder<Known | UnknownName> {
  return names<Known | UnknownName>(values)
}

function names<T extends string>(values: readonly string[]): Decoder<T> {
  const known = new Set(values)
  const expected = `text, known: ${values.join(', ')}`
  return decoder({ kind: 'open-enum', values }, (value, context) => {
    const name = decodeString(value, context, 'text')
    if (name === INVALID) return name
    if (!known.has(name)) reportDrift(context, 'unknown-value', expected, name)
    return name as T
  })
}
