/** Whether a text may hold a secret at all: told at a glance, without making any spelling of it. */
import { fold, MIN_BYTES, withoutPadding } from './redactor-spellings.ts'

declare const btoa: (binary: string) => string

/** What reads as it stands: ASCII that is seen, without the signs of an escape, `%`, `&`, `+` and the backslash. */
const READS_AS_IT_STANDS = /^[\x20-\x24\x27-\x2a\x2c-\x5b\x5d-\x7e]*$/
const ASCII = /^[\x20-\x7e]*$/

/**
 * Whether one of `secrets` may stand in `text`, in any form that `createRedactor` knows. `false` is certain; `true` is
 * a reason to look.
 */
export function mayHold(text: string, secrets: readonly string[]): boolean {
  const readsAsItStands = READS_AS_IT_STANDS.test(text)
  const folded = fold(text)
  return secrets.some(
    (secret) =>
      // Without its padding it may be two letters shorter.
      text.length >= secret.length - 2 &&
      (!readsAsItStands ||
        !ASCII.test(secret) ||
        folded.includes(withoutPadding(fold(secret))) ||
        (secret.length >= MIN_BYTES &&
          // Hexadecimal digits are twice as many.
          (text.length >= secret.length * 2 ||
            // Its base64 is longer by a third, but for the letters at both ends that other bytes decide, too.
            (text.length > (secret.length * 4) / 3 - 2 &&
              // Each base64 of it holds one of these, whatever stands before: three bytes from one of three places on.
              [0, 1, 2].some((at) => folded.includes(fold(btoa(secret.slice(at, at + 3))))))))),
  )
}
