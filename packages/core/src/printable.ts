/**
 * Text from elsewhere, as it may be shown: what steers a terminal, forges a line of a log or turns the direction of
 * writing is shown as an escape, never done and never dropped in silence.
 */

/** Controls (C0, DEL, C1), formats (bidirectional marks, zero widths, tags), line and paragraph separators. */
export const UNSEEN_CLASSES = '\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}'
/** With halves of characters. */
const UNSEEN = new RegExp(`[${UNSEEN_CLASSES}\\p{Cs}]`, 'gu')
const PIECE = /\\u\{[\da-f]+\}|[\s\S]/gu

const escapeOf = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`

/** A JSON text with each invisible character as `\uXXXX`: the same value, and nothing in it that steers. */
export function printableJson(json: string): string {
  return json.replace(UNSEEN, (character) => character.split('').map(unitOf).join(''))
}

const unitOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * The text with each invisible character as an escape such as `\u{1b}`.
 *
 * @param maxLength - The longest result, in UTF-16 units; what was cut off is shown as `…` behind it. No escape and no
 * pair of surrogates is cut in two. @defaultValue none
 *
 * @example
 * ```ts
 * import { printable } from '@brokerwire/core'
 *
 * console.log(printable('a\u001b[2Jb')) // a\u{1b}[2Jb
 * ```
 */
export function printable(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  // One unit becomes at least one: of more than this nothing could be shown.
  const shown = text.slice(0, maxLength + 2).replace(UNSEEN, escapeOf)
  if (shown.length <= maxLength && text.length <= maxLength) return shown
  let cut = 0
  for (const [piece] of shown.matchAll(PIECE)) {
    if (cut + piece.length > maxLength) break
    cut += piece.length
  }
  return `${shown.slice(0, cut)}\u2026`
}
