/** Encodings of a secret: base64 and hexadecimal digits. */
import { utf8Encode } from '../text/bytes.ts'

declare const btoa: (binary: string) => string

/**
 * Minimum length in bytes of a secret that is searched for in other encodings. Shorter secrets would match
 * text that contains no secret.
 */
const MIN_BYTES = 8

/** Maps the URL-safe alphabet of base64 to the standard alphabet, and a space to `+`. */
export const fold = (text: string): string =>
  text.replaceAll('-', '+').replaceAll('_', '/').replaceAll(' ', '+')

/**
 * Returns the characters in the base64 of a secret that do not depend on the adjacent bytes, for each of the
 * three positions that a secret can have in a group of three bytes.
 */
const inBase64 = (binary: string): readonly string[] =>
  [0, 1, 2].map((before) =>
    btoa('\0'.repeat(before) + binary)
      .slice(Math.ceil((before * 8) / 6))
      .replace(/.=+$/, ''),
  )

/** Returns the secret and its other encodings, with the standard alphabet of base64. */
export function spellings(secret: string): readonly string[] {
  const folded = fold(secret)
  const bytes = utf8Encode(secret)
  if (bytes.length < MIN_BYTES) return [folded]
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  // If the secret itself is base64, it may occur without its padding.
  return [folded, folded.replace(/={1,2}$/, ''), ...inBase64(binary), hex, hex.toUpperCase()]
}
