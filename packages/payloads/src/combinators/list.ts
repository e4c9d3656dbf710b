/** A list. One unreadable item makes the list unreadable; the others are still checked. */
import { type Decoder, decoder } from '../decoder.ts'
import { UNREADABLE, unreadable } from '../reading.ts'

/**
 * Items of one kind.
 *
 * @example
 * ```ts
 * import { decimal, decodeJson, list } from '@brokerwire/payloads'
 *
 * const result = decodeJson(list(decimal), '["1.50",2.50]')
 * if (result.ok) console.log(result.value) // [ '1.50', '2.50' ]
 * ```
 */
export function list<T>(item: Decoder<T>): Decoder<readonly T[]> {
  const read = item['~read']
  return decoder({ kind: 'list', item: item.definition }, (value, reading) => {
    if (!Array.isArray(value)) return unreadable(reading, 'wrong-type', 'an array', value)
    const output: T[] = []
    const depth = reading.path.length
    for (let index = 0; index < value.length; index += 1) {
      reading.path[depth] = index
      const found = read(value[index], reading)
      if (found !== UNREADABLE) output.push(found)
    }
    reading.path.length = depth
    return output.length === value.length ? output : UNREADABLE
  })
}
