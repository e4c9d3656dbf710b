/**
 * Takes secrets out of a text, also where they are encoded: the text is read in each way in which a service or a gateway
 * may have quoted the request, one within another, and what reads as a secret goes. No pattern is made of a secret: one
 * could take for ever.
 */

import { REDACTED } from './redacted.ts'
import { mayHold } from './redactor-glance.ts'
import { readings, type Unit } from './redactor-readings.ts'
import { fold, spellings } from './redactor-spellings.ts'

/** Percent-encoded twice within JSON is three. More levels do not happen by mistake, and each costs a pass. */
const MAX_DEPTH = 3

/** What a character takes where it is encoded that often in the longest way, `\\u0041`. */
const LONGEST_ESCAPE = 6 ** MAX_DEPTH

type Range = readonly [from: number, to: number]

/** Adds where secrets stand in the text as it is, however it is read. */
function addOccurrences(
  units: readonly Unit[],
  secrets: ReadonlySet<string>,
  depth: number,
  seen: Set<string>,
  ranges: Range[],
): void {
  const text = units.map(([unit]) => unit).join('')
  if (seen.has(text)) return
  seen.add(text)
  const folded = fold(text)
  for (const secret of secrets) {
    for (let at = folded.indexOf(secret); at !== -1; at = folded.indexOf(secret, at + secret.length)) {
      const [[, from], [, , to]] = [units[at], units[at + secret.length - 1]] as [Unit, Unit]
      ranges.push([from, to])
    }
  }
  if (depth > 0)
    for (const next of readings(units, text)) addOccurrences(next, secrets, depth - 1, seen, ranges)
}

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
  const wanted = secrets.filter((secret) => secret !== '')
  let spelled: ReadonlySet<string> | undefined
  return (text, maxLength = Number.POSITIVE_INFINITY) => {
    // Every request has an answer with an id to look at, which hardly ever holds a secret: nothing is made for it.
    if (!mayHold(text, wanted)) return text.slice(0, maxLength)
    spelled ??= new Set(wanted.flatMap(spellings))
    // A secret that begins in what is wanted is seen to its end, however it is encoded.
    const seen = text.slice(0, maxLength + LONGEST_ESCAPE * wanted.join('').length).split('')
    const ranges: Range[] = []
    const units = seen.map((unit, at): Unit => [unit, at, at + 1])
    addOccurrences(units, spelled, MAX_DEPTH, new Set(), ranges)
    let left = ''
    let shownTo = 0
    for (const [from, to] of ranges.sort(([one], [other]) => one - other)) {
      if (from >= maxLength) break
      if (from >= shownTo) left += text.slice(shownTo, from) + REDACTED
      shownTo = Math.max(shownTo, to)
    }
    return left + text.slice(shownTo, Math.max(shownTo, maxLength))
  }
}
