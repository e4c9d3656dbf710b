/**
 * Decoders of strings with known values. An unknown value is valid too, because the service adds values without notice.
 */

import { INVALID, reportDrift } from '../decode-context.ts'
import { type Decoder, decoder } from '../decoder.ts'
import { decodeString } from './string.ts'

/** One of the known values, or any other string. Handle other strings in the `default:` of a `switch`. */
export type OpenEnum<Known extends string> = Known | (string & Record<never, never>)

/**
 * The type of the tag in the last member of a union: a string that is no tag of another member.
 *
 * At run time, the tag is the plain string, without the suffix. The suffix makes a `switch` over the tag
 * narrow the type. To compare the tag with a value that this version does not know, assign the tag to a
 * `string` first.
 */
export type UnknownName = `${string} (not known to this version)`

/**
 * Creates a decoder of strings with known values. Unknown values are kept.
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
 * Creates an {@link openEnum} for the last member of a union, so that a `switch` over the tag narrows the type.
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
