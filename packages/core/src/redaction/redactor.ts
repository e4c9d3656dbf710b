/**
 * Takes secrets out of a text, also where they are encoded: the text is read in each way in which a service or a gateway
 * may have quoted the request, one within another, and what reads as a secret goes. No pattern is made of a secret: one
 * could take for ever.
 */

import { REDACTED } from './redacted.ts'
import { ANY_SIGN, RULES, read, type Unit } from './redactor-decoders.ts'
import { fold, spellings } from './redactor-encodings.ts'
import { mayHold } from './redactor-precheck.ts'

/** Percent-encoded twice within JSON is three. More levels do not happen by mistake, and each costs a pass. */
const MAX_DEPTH = 3

/** What a character takes where it is encoded that often in the longest way, `\\u0041`. */
const LONGEST_ESCAPE = 6 ** MAX_DEPTH

/** Takes secrets out of a text. Made by {@link createRedactor}. */
export type Redactor = (
  text: string,
  /**
   * How much of the text is wanted, in UTF-16 units: the rest is left out, and not looked at. Cut afterwards, never
   * before: half a secret is not recognized.
   * @defaultValue all
   */
  maxLength?: number,
) => string

/**
 * Makes what replaces each of `secrets` in a text by {@link REDACTED}. Secrets that overlap become one.
 *
 * They are found as they are and in these forms, up to three within one another, whole or in part: the escapes of JSON
 * and of string literals (`\/`, `\u002b`, also of eight digits, `\x2b`, `\53`), percent-encoding (`%2b`, `%u002b`), forms (`+`
 * for a space), HTML entities, and with ends of lines, indents behind them, controls and other characters that nobody
 * sees (soft hyphens, zero widths) between their letters.
 * As they may be base64 themselves, also in its other alphabet; those of eight bytes or more without their padding too, in
 * hexadecimal digits, and in base64 (either alphabet, also where other bytes are encoded with them).
 *
 * A part of a secret is not recognized, nor one in another letter case, hashed or compressed.
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
  let known: ReadonlySet<string> | undefined
  return (text, maxLength = Number.POSITIVE_INFINITY) => {
    // Every request has an answer with an id to look at, which hardly ever holds a secret: nothing is made for it.
    if (!mayHold(text, wanted)) return text.slice(0, maxLength)
    known ??= new Set(wanted.flatMap(spellings))
    const spelled = known
    // By where it begins, where each that is found ends.
    const ends: number[] = []
    const seen = new Set<string>()
    /** Finds secrets in the text as these units are, however it is read. */
    const look = (units: readonly Unit[], depth: number): void => {
      const reading = units.map(([unit]) => unit).join('')
      if (seen.has(reading)) return
      seen.add(reading)
      const folded = fold(reading)
      // Beside entities with names only outlines can be looked for, and what is found has to be compared.
      const isNamed = folded.includes(ANY_SIGN)
      const outline = (whole: string): string => (isNamed ? whole.replace(/[^a-z\d]/gi, ANY_SIGN) : whole)
      const outlined = outline(folded)
      for (const secret of spelled) {
        const sought = outline(secret)
        for (let at = outlined.indexOf(sought); at !== -1; at = outlined.indexOf(sought, at + 1)) {
          let same = isNamed ? 0 : sought.length
          while (same < sought.length && [secret[same], ANY_SIGN].includes(folded[at + same])) same += 1
          if (same < sought.length) continue
          const [, from] = units[at] as Unit
          const [, , to] = units[at + same - 1] as Unit
          ends[from] = Math.max(ends[from] ?? 0, to)
        }
      }
      if (depth > 0) for (const rule of RULES) look(read(units, reading, rule), depth - 1)
    }
    // A secret that begins in what is wanted is seen to its end, however it is encoded.
    const looked = text.slice(0, maxLength + LONGEST_ESCAPE * wanted.join('').length)
    look(
      looked.split('').map((unit, at) => [unit, at, at + 1]),
      MAX_DEPTH,
    )
    let left = ''
    let shownTo = 0
    ends.slice(0, maxLength).forEach((to, from) => {
      if (from >= shownTo) left += text.slice(shownTo, from) + REDACTED
      shownTo = Math.max(shownTo, to)
    })
    return left + text.slice(shownTo, maxLength)
  }
}
