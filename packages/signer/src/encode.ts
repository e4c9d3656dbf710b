/** Percent-encoding of the canonical string: the specification, "Request signature", step 5. */

/** Texts that stay as they are: most names and many values. */
const PLAIN = /^[\w.~-]*$/
/** What `encodeURIComponent` leaves alone and the specification does not. */
const LEFT_OVER = /[!'()*]/g

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
export const encodeCanonical = (text: string): string =>
  // Unlike `test`, `search` exists on texts alone: anything else throws here, and is not signed as what it would print.
  text.search(PLAIN)
    ? encodeURIComponent(text).replace(
        LEFT_OVER,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
      )
    : text
