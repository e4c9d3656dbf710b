/**
 * Text from elsewhere, as it may be shown: what steers a terminal, forges a line of a log or turns the direction of
 * writing is shown as an escape, never done and never dropped in silence.
 */

/** Controls (C0, DEL, C1), formats (bidirectional marks, zero widths, tags), line and paragraph separators. */
export const UNSEEN_CLASSES = '\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}'
/** With halves of characters. */
const UNSEEN = new RegExp(`[${UNSEEN_CLASSES}\\p{Cs}]`, 'gu')
/** What is left of an escape or of a pair where a text is cut within it. */
const CUT_OFF = /(?:\\(?:u(?:\{[\da-f]*)?)?|[\ud800-\udbff])$/

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
  // One unit becomes at least one: of more than this nothing could be shown, and what is longer stays so.
  const shown = text.slice(0, maxLength + 2).replace(UNSEEN, escapeOf)
  if (shown.length <= maxLength) return shown
  return `${shown.slice(0, maxLength).replace(CUT_OFF, '')}\u2026`
}
