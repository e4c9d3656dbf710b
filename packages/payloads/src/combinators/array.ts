/** A decoder of arrays. If one item is invalid, the array is invalid. The other items are still checked. */

import { INVALID, invalid } from '../decode-context.ts'
import { type Decoder, decoder } from '../decoder.ts'

/**
 * Creates a decoder of arrays with one kind of items.
 *
 * @example
 * ```ts
 * import { array, decimal, decodeJson } from '@brokerwire/payloads'
 *
 * const result = decodeJson(array(decimal), '["1.50",2.50]')
 * if (result.ok) console.log(result.value) // [ '1.50', '2.50' ]
 * ```
 */
export function array<T>(item: Decoder<T>): Decoder<readonly T[]> {
  const read = item['~decode']
  return decoder({ kind: 'array', item: item.definition }, (value, context) => {
    if (!Array.isArray(value)) return invalid(context, 'wrong-type', 'an array', value)
    const output: T[] = []
    const depth = context.path.length
    for (let index = 0; index < value.length; index += 1) {
      context.path[depth] = index
      const found = read(value[index], context)
      if (found !== INVALID) output.push(found)
    }
    context.path.length = depth
    return output.length === value.length ? output : INVALID
  })
}
