/** Percent-encoding of the canonical string: the specification, "Request signature", step 5. */

/** Strings that need no encoding: most names and many values. */
const PLAIN = /^[\w.~-]*$/
/** Characters that `encodeURIComponent` does not escape but the specification does. */
const UNESCAPED = /[!'()*]/g

/**
 * Percent-encodes a text: only `A-Z a-z 0-9 - _ . ~` stay, hex digits are upper case. The same encoding serves the
 * canonical string and each name and value on the request line.
 *
 * @throws URIError for a lone surrogate: it has no UTF-8 form that could be sent.
 *
 * @example
 * ```ts
 * import { encodeCanonical } from '@brokerwire/signer'
 *
 * console.log(encodeCanonical('a b*')) // a%20b%2A
 * ```
 */
export const encodeCanonical = (text: string): string => {
  // `search` exists on strings only. `PLAIN.test` would convert any other value, and its printed form would be signed.
  if (text.search(PLAIN) === 0) return text
  return encodeURIComponent(text).replace(
    UNESCAPED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
