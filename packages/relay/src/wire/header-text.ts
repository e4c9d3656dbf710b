/**
 * Percent-encoding of any string as the value of a header. Printable ASCII characters except space and `%`
 * are not changed. Other characters are encoded as the bytes of their UTF-8. This is needed because NATS
 * clients trim values, and a line end in a value would inject another header.
 */
import { utf8Decode, utf8Encode } from '@brokerwire/core/internal'

const PLAIN = /^[!-$&-~]*$/
const ENCODED = /^(?:[!-$&-~]|%[0-9A-Fa-f]{2})*$/
const OTHERS = /[^!-$&-~]+/g

const percent = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`

export function encodeHeader(text: string): string {
  if (PLAIN.test(text)) return text
  return text.replace(OTHERS, (part) => Array.from(utf8Encode(part), percent).join(''))
}

/** Decodes a value. @returns `undefined` if {@link encodeHeader} did not write the value. */
export function decodeHeader(value: string): string | undefined {
  if (PLAIN.test(value)) return value
  if (!ENCODED.test(value)) return undefined
  const bytes: number[] = []
  for (let at = 0; at < value.length; at += 1) {
    if (value[at] === '%') {
      bytes.push(Number.parseInt(value.slice(at + 1, at + 3), 16))
      at += 2
    } else bytes.push(value.charCodeAt(at))
  }
  return utf8Decode(Uint8Array.from(bytes))
}
