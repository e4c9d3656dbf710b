/** The texts that say a secret in other letters: base64, hexadecimal digits. */
import { utf8Encode } from '../text/bytes.ts'

declare const btoa: (binary: string) => string

/** Of shorter ones there are no other spellings: those would be found in texts that hold no secret. */
const MIN_BYTES = 8

/** One alphabet of base64 for both. */
export const fold = (text: string): string =>
  text.replaceAll('-', '+').replaceAll('_', '/').replaceAll(' ', '+')

/** The letters of a secret's base64 that are the same whatever stands before and behind it: one form for each place. */
const inBase64 = (binary: string): readonly string[] =>
  [0, 1, 2].map((before) =>
    btoa('\0'.repeat(before) + binary)
      .slice(Math.ceil((before * 8) / 6))
      .replace(/.=+$/, ''),
  )

/** The secret and its other spellings, in the one alphabet. */
export function spellings(secret: string): readonly string[] {
  const folded = fold(secret)
  const bytes = utf8Encode(secret)
  if (bytes.length < MIN_BYTES) return [folded]
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  // As base64 may be, without what fills its last letters up.
  return [folded, folded.replace(/={1,2}$/, ''), ...inBase64(binary), hex, hex.toUpperCase()]
}
