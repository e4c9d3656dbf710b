/** Checks fast whether a text may contain a secret, without decoding the text. */
import { fold } from './redactor-encodings.ts'

declare const btoa: (binary: string) => string

/**
 * Matches a text that may be encoded. It contains a character that begins an escape sequence (`%`, `&`, `\`), a
 * `+`, which is a space in the body of an HTML form, or a character that is not printable ASCII.
 */
const MAY_BE_ENCODED = /[%&+\\]|[^ -~]/
const NOT_ASCII = /[^ -~]/

/**
 * Whether `text` may contain one of `secrets`, in any form that `createRedactor` finds. `false` means that
 * there is certainly none. After `true`, a complete search is necessary.
 */
export function mightContain(text: string, secrets: readonly string[]): boolean {
  const mayBeEncoded = MAY_BE_ENCODED.test(text)
  const folded = fold(text)
  return secrets.some(
    (secret) =>
      // A secret that is base64 may occur without padding, which makes it up to two characters shorter.
      text.length >= secret.length - 2 &&
      (mayBeEncoded ||
        NOT_ASCII.test(secret) ||
        // The first characters of a secret are compared, because they are never padding.
        folded.includes(fold(secret.slice(0, 6))) ||
        // In hexadecimal digits the secret is twice as long.
        text.length >= secret.length * 2 ||
        // In base64 the secret is longer by a third. The characters at both ends are not counted, because
        // they depend on other bytes.
        (text.length > (secret.length * 4) / 3 - 2 &&
          // Each of the three alignments of base64 contains one of these groups of three bytes.
          [0, 1, 2].some((at) => folded.includes(fold(btoa(secret.slice(at, at + 3))))))),
  )
}
