/**
 * Keys as NATS takes them: letters, digits and a few signs. Every other byte of a key's UTF-8 stands as `=` and two digits,
 * so any two keys stay two.
 */
import { utf8Encode } from '@brokerwire/core'

const PLAIN = /^[A-Za-z0-9_-]*$/

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).toUpperCase().padStart(2, '0'))

/** @returns A key of a bucket. */
export function encodeKey(key: string): string {
  if (PLAIN.test(key)) return key
  let encoded = ''
  for (const byte of utf8Encode(key)) {
    const character = String.fromCharCode(byte)
    encoded += PLAIN.test(character) ? character : `=${hex[byte]}`
  }
  return encoded
}
