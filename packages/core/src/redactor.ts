/**
 * Takes secrets out of a text, also where they are encoded: the text is read in each way in which a service or a gateway
 * may have quoted the request, one within another, and what reads as a secret goes. No pattern is made of a secret: one
 * could take for ever.
 */

import { REDACTED } from './redacted.ts'
import { mayHold } from './redactor-glance.ts'
import { readings } from './redactor-readings.ts'
import { spellings } from './redactor-spellings.ts'

type Range = readonly [from: number, to: number]

/** Percent-encoded twice within JSON is three. More levels do not happen by mistake, and each costs a pass. */
const MAX_DEPTH = 3

/** What a character takes where it is encoded that often in the longest way, `\\u0041`. */
const LONGEST_ESCAPE = 6 ** MAX_DEPTH

/** By how much a form of a secret may be shorter than the secret: base64 without its padding. */
const MOST_PADDING = 2

/** Where secrets stand in a text. */
function occurrences(text: string, secrets: readonly string[]): Range[] {
  return secrets.flatMap((secret) => {
    const found: Range[] = []
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
      found.push([at, at + secret.length])
    }
    return found
  })
}

/** Where secrets stand in a text, as it is and in every reading of it. */
function allOccurrences(text: string, secrets: readonly string[], depth: number, seen: Set<string>): Range[] {
  const ranges = occurrences(text, secrets)
  if (depth === 0) return ranges
  for (const read of readings) {
    const reading = read(text)
    if (reading === undefined || seen.has(reading.text)) continue
    seen.add(reading.text)
    for (const [from, to] of allOccurrences(reading.text, secrets, depth - 1, seen)) {
      ranges.push([reading.sourceOf(from)[0], reading.sourceOf(to - 1)[1]])
    }
  }
  return ranges
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
 * Those of eight bytes or more also in hexadecimal digits, in base64 (either alphabet, also where other bytes are encoded
 * with them), and, as they may be base64 themselves, in its other alphabet and without padding.
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
  const given = [...secrets]
  const spelled = new Map<string, readonly string[]>()
  const spell = (secret: string): readonly string[] => {
    const known = spelled.get(secret) ?? spellings(secret)
    spelled.set(secret, known)
    return known
  }
  return (text, maxLength = Number.POSITIVE_INFINITY) => {
    // Every request has an answer with an id to look at, which hardly ever holds a secret: nothing is made for it.
    if (!mayHold(text, given)) return text.slice(0, maxLength)
    const wanted = [...new Set(given)].filter((secret) => secret !== '')
    const possible = wanted.filter(({ length }) => text.length >= length - MOST_PADDING)
    const needles = possible.flatMap(spell)
    // A secret that begins in what is wanted is seen to its end, however it is encoded.
    const longest = Math.max(0, ...wanted.map(({ length }) => length))
    const seen = text.length > maxLength ? text.slice(0, maxLength + LONGEST_ESCAPE * longest) : text
    const ranges = allOccurrences(seen, needles, MAX_DEPTH, new Set([seen])).sort(
      ([one], [other]) => one - other,
    )
    let left = ''
    let shownTo = 0
    for (const [from, to] of ranges) {
      if (from >= maxLength) break
      if (from >= shownTo) left += `${text.slice(shownTo, from)}${REDACTED}`
      shownTo = Math.max(shownTo, to)
    }
    return left + text.slice(shownTo, Math.max(shownTo, Math.min(maxLength, text.length)))
  }
}
