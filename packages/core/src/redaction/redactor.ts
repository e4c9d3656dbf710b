/**
 * Removes secrets from a string, also in the encodings that a service or gateway may use when it quotes a
 * request. The work is limited by the length of the string: a fixed number of readings, and a fixed number of
 * comparison steps per unit. No regular expression is created from a secret, because matching it could take
 * exponential time.
 */

import { REDACTED } from './redacted.ts'
import { fold, spellings } from './redactor-encodings.ts'
import { mightContain } from './redactor-precheck.ts'
import { ANY_SIGN, readingsOf, withoutInvisible } from './redactor-readings.ts'

/**
 * Replacement for a string that contains so many occurrences of secrets that the limit of work is reached.
 */
export const WITHHELD = '[text withheld: it repeats a secret too often]'

/**
 * Maximum number of compared units for each unit of the string. For a short string, the maximum is
 * `MIN_STEPS`.
 */
const STEPS_PER_UNIT = 64
const MIN_STEPS = 100_000

/** Number of initial characters by which a secret is recognized at the end of the examined string. */
const HEAD_LENGTH = 16
/**
 * Number of units that are examined beyond `maxLength`. A character that is encoded three times in the
 * longest common form, `\u0041`, takes 6 ** 3 units.
 */
const LOOKAHEAD = (HEAD_LENGTH + 1) * 6 ** 3

/** A function that removes secrets from a text. {@link createRedactor} creates it. */
export type Redactor = (
  text: string,
  /**
   * The maximum length of the result, in UTF-16 units. The rest of the string is removed, and only a few
   * thousand units of the rest are examined. Do not truncate the string before the call, because half a
   * secret is not recognized.
   * @defaultValue the whole string
   */
  maxLength?: number,
) => string

/**
 * Creates a function that replaces each of `secrets` in a text by {@link REDACTED}. Secrets that overlap are replaced
 * together, by one placeholder.
 *
 * Use it for text that you received, not for text that you wrote: if a reader knows the sentence, the missing word reveals the
 * secret.
 *
 * Secrets are found as they are and in these forms, of which up to three may be inside one another, and which may apply to the
 * whole secret or a part of it: the escapes of JSON and of string literals (`\/`, `\u002b`, also of eight digits, `\x2b`,
 * `\53`), percent-encoding (`%2b`, `%u002b`), forms (`+` for a space), HTML entities, and with line ends, indents after them,
 * controls and other invisible characters (soft hyphens, zero widths) between their letters. A secret that itself contains
 * such an escape is found only if the text has one form and not several inside one another. Because a secret may itself be
 * base64, it is also found in the other alphabet of base64. A secret of eight bytes or more is also found without its padding,
 * in hexadecimal digits, and in base64 (either alphabet, also if other bytes are encoded with it).
 *
 * These are not recognized: a part of a secret; a secret in another letter case or order, with spaces or signs between its
 * letters, in full-width letters, as a list of byte numbers, in base64 of base64 or quoted-printable; and a secret that is
 * hashed, encrypted or compressed.
 *
 * The work is linear in the length of the text, whatever the text contains. If a text repeats a secret so often that the
 * comparison would take longer, the whole text is replaced by `[text withheld: it repeats a secret too often]`.
 *
 * @example
 * ```ts
 * import { createRedactor } from '@brokerwire/core'
 *
 * const redact = createRedactor(['0123456789abcdef'])
 * console.log(redact('token=0123456789abcdef')) // token=[secret]
 * ```
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const wanted = secrets.filter(Boolean)
  let known: readonly string[] | undefined
  return (text, maxLength = Number.POSITIVE_INFINITY) => {
    const examined = text.slice(0, maxLength + LOOKAHEAD)
    const isCut = examined.length < text.length
    // This check is fast. Most strings contain no secret, and this function runs for the request id of each
    // response.
    if (isCut ? wanted.length === 0 : !mightContain(examined, wanted)) return text.slice(0, maxLength)
    known ??= spellingsOf(wanted)
    const ends = findSecrets(examined, known, isCut)
    return ends === undefined ? WITHHELD : withoutSecrets(text.slice(0, maxLength), ends)
  }
}

/**
 * Returns all encodings of the secrets. If a secret contains invisible characters, the encodings of the secret
 * without them are included, because text that quotes the secret often lacks them.
 */
function spellingsOf(secrets: readonly string[]): readonly string[] {
  const all = secrets.flatMap((secret) => [...spellings(secret), ...spellings(withoutInvisible(secret))])
  return [...new Set(all)].filter(Boolean)
}

/**
 * Finds the secrets in a string.
 *
 * @param isCut - Whether the string is truncated. If it is, a secret of which only the first part is in the
 * string counts too.
 * @returns For each unit at which a secret begins, the end of the longest such secret; 0 for other units.
 * `undefined` instead of the array if the limit of work is reached.
 */
function findSecrets(text: string, known: readonly string[], isCut: boolean): Uint32Array | undefined {
  const ends = new Uint32Array(text.length)
  let steps = Math.max(MIN_STEPS, STEPS_PER_UNIT * text.length)
  for (const reading of readingsOf(text)) {
    const folded = fold(reading.text)
    // An unknown entity may be any character except a letter or digit. So the search compares only letters
    // and digits, and `isAt` compares the rest.
    const hasAnySign = folded.includes(ANY_SIGN)
    const searched = hasAnySign ? outline(folded) : folded
    for (const spelling of known) {
      const head = isCut ? spelling.slice(0, HEAD_LENGTH) : spelling
      const sought = hasAnySign ? outline(head) : head
      for (let at = searched.indexOf(sought); at !== -1; at = searched.indexOf(sought, at + 1)) {
        const end = at + spelling.length
        const isWhole = end <= folded.length
        const compared = isWhole ? spelling : head
        steps -= compared.length
        if (steps < 0) return undefined
        if (!isAt(folded, compared, at)) continue
        const from = reading.from[at] ?? 0
        const to = isWhole ? (reading.to[end - 1] ?? 0) : text.length
        ends[from] = Math.max(ends[from] ?? 0, to)
      }
    }
  }
  return ends
}

function isAt(text: string, spelling: string, at: number): boolean {
  for (let index = 0; index < spelling.length; index += 1) {
    const unit = text[at + index]
    if (unit !== spelling[index] && unit !== ANY_SIGN) return false
  }
  return true
}

/** Returns the text with {@link ANY_SIGN} instead of each character that is not a letter or digit. */
const outline = (text: string): string => text.replace(/[^a-z\d]/gi, ANY_SIGN)

function withoutSecrets(text: string, ends: Uint32Array): string {
  let left = ''
  let shownTo = 0
  for (let from = 0; from < text.length; from += 1) {
    const end = ends[from] ?? 0
    if (end === 0) continue
    if (from >= shownTo) left += text.slice(shownTo, from) + REDACTED
    shownTo = Math.max(shownTo, end)
  }
  return left + text.slice(shownTo)
}
