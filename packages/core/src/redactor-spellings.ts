/** The texts that say a secret in other letters: base64, hexadecimal digits. */
import { utf8Encode } from './bytes.ts'

declare const btoa: (binary: string) => string

/** Of shorter ones there are no other spellings: those would be found in texts that hold no secret. */
export const MIN_BYTES = 8
const HEX = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

const withBothAlphabets = (base64: string): readonly string[] => [
  base64,
  base64.replaceAll('+', '-').replaceAll('/', '_'),
]

/** The letters of a secret's base64 that are the same whatever stands before and behind it: one form for each place. */
function inBase64(binary: string): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const from = Math.ceil((before * 8) / 6)
    const to = Math.floor(((before + binary.length) * 8) / 6)
    return withBothAlphabets(btoa('\0'.repeat(before) + binary).slice(from, to))
  })
}

/** The secret and its other spellings, each once. */
export function spellings(secret: string): readonly string[] {
  const bytes = utf8Encode(secret)
  if (bytes.length < MIN_BYTES) return [secret]
  let binary = ''
  let hex = ''
  for (const byte of bytes) {
    binary += String.fromCharCode(byte)
    hex += HEX[byte]
  }
  const standard = secret.replaceAll('-', '+').replaceAll('_', '/')
  const respelled = [standard, standard.replace(/={1,2}$/, '')].flatMap(withBothAlphabets)
  return [...new Set([secret, ...respelled, ...inBase64(binary), hex, hex.toUpperCase()])]
}
