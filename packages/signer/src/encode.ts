/** Percent-encoding of the canonical string: the specification, "Request signature", step 5. */

/** Matches strings that need no encoding. Most names and many values are such strings. */
const PLAIN = /^[\w.~-]*$/
/** Characters that `encodeURIComponent` does not escape but the specification does. */
const UNESCAPED = /[!'()*]/g

/**
 * Percent-encodes a string: only `A-Z a-z 0-9 - _ . ~` stay unchanged, and hex digits are upper case. The
 * canonical string and each name and value on the request line use this encoding.
 *
 * @throws URIError for a lone surrogate, because it has no UTF-8 form.
 *
 * @example
 * ```ts
 * import { encodeCanonical } from '@brokerwire/signer'
 *
 * console.log(encodeCanonical('a b*')) // a%20b%2A
 * ```
 */
export const encodeCanonical = (text: string): string => {
  // `search` throws for a value that is not a string. `PLAIN.test` would convert the value to a string, which
  // would then be signed.
  if (text.search(PLAIN) === 0) return text
  return encodeURIComponent(text).replace(
    UNESCAPED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
