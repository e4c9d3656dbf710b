/**
 * Any text as a name that message systems and key-value buckets take: letters, digits, `_` and `-` as they are, and every
 * other byte of its UTF-8 as `=` and two digits. Any two texts stay two, and none holds a separator or a wildcard.
 */
import { utf8Encode } from './bytes.ts'

const PLAIN = /^[A-Za-z0-9_-]*$/

/**
 * Any text as a name of message systems; two texts never share one.
 *
 * @returns A name of `A-Z a-z 0-9 _ - =`; the empty one for the empty text.
 *
 * @example
 * ```ts
 * import { encodeName } from '@brokerwire/core/internal'
 *
 * console.log(encodeName('a/b.c')) // a=2Fb=2Ec
 * ```
 */
export function encodeName(text: string): string {
  if (PLAIN.test(text)) return text
  let encoded = ''
  for (const byte of utf8Encode(text)) {
    const character = String.fromCharCode(byte)
    const hex = byte.toString(16).toUpperCase().padStart(2, '0')
    encoded += PLAIN.test(character) ? character : `=${hex}`
  }
  return encoded
}
