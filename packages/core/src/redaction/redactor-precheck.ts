/** Whether a text may hold a secret at all: told at a glance, without making any spelling of it. */
import { fold } from './redactor-encodings.ts'

declare const btoa: (binary: string) => string

/** What may read otherwise than it stands: a sign of an escape, and what is not ASCII or not seen. */
const MAY_BE_ENCODED = /[%&+\\]|[^ -~]/
const NOT_ASCII = /[^ -~]/

/**
 * Whether one of `secrets` may stand in `text`, in any form that `createRedactor` knows. `false` is certain; `true` is
 * a reason to look.
 */
export function mayHold(text: string, secrets: readonly string[]): boolean {
  const mayBeEncoded = MAY_BE_ENCODED.test(text)
  const folded = fold(text)
  return secrets.some(
    (secret) =>
      // Without its padding it may be two letters shorter.
      text.length >= secret.length - 2 &&
      (mayBeEncoded ||
        NOT_ASCII.test(secret) ||
        // How it begins, which is never padding.
        folded.includes(fold(secret.slice(0, 6))) ||
        // Hexadecimal digits are twice as many.
        text.length >= secret.length * 2 ||
        // Its base64 is longer by a third, but for the letters at both ends that other bytes decide, too.
        (text.length > (secret.length * 4) / 3 - 2 &&
          // Each base64 of it holds one of these, whatever stands before: three bytes from one of three places on.
          [0, 1, 2].some((at) => folded.includes(fold(btoa(secret.slice(at, at + 3))))))),
  )
}
