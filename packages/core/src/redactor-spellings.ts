/** The texts that say a secret in other letters: base64, hexadecimal digits. */
import { utf8Encode } from './bytes.ts'

declare const btoa: (binary: string) => string

/** Of shorter ones there are no other spellings: those would be found in texts that hold no secret. */
export const MIN_BYTES = 8

/** One alphabet of base64 for both. */
export const fold = (text: string): string => text.replaceAll('-', '+').replaceAll('_', '/')

/** As base64 may be: without what fills its last letters up. */
export const withoutPadding = (text: string): string => text.replace(/={1,2}$/, '')

/** The letters of a secret's base64 that are the same whatever stands before and behind it: one form for each place. */
function inBase64(binary: string): readonly string[] {
  return [0, 1, 2].map((before) => {
    const from = Math.ceil((before * 8) / 6)
    const to = Math.floor(((before + binary.length) * 8) / 6)
    return btoa('\0'.repeat(before) + binary).slice(from, to)
  })
}

/** The secret and its other spellings, in the one alphabet. */
export function spellings(secret: string): readonly string[] {
  const folded = fold(secret)
  const bytes = utf8Encode(secret)
  if (bytes.length < MIN_BYTES) return [folded]
  let binary = ''
  let hex = ''
  for (const byte of bytes) {
    binary += String.fromCharCode(byte)
    hex += byte.toString(16).padStart(2, '0')
  }
  return [folded, withoutPadding(folded), ...inBase64(binary), hex, hex.toUpperCase()]
}
