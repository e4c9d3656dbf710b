/**
 * Names for message systems and key-value buckets. Letters, digits, `_` and `-` stay unchanged, and each
 * other byte of the string in UTF-8 becomes `=` and two hexadecimal digits. Different strings have different
 * names, and no name contains a separator or a wildcard.
 */
import { utf8Encode } from './bytes.ts'

const PLAIN = /^[A-Za-z0-9_-]*$/

/**
 * Encodes a string as a name. Different strings have different names.
 *
 * @returns A name that consists of `A-Z a-z 0-9 _ - =`. The name of the empty string is the empty string.
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
