/**
 * Escapes text from other systems. Characters that control a terminal, forge a log line or change the text
 * direction are shown as escapes.
 */

/**
 * Control characters (C0, DEL, C1), format characters (bidirectional marks, zero-width characters, tags),
 * line and paragraph separators.
 */
export const UNSEEN_CLASSES = '\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}'
/** The characters of `UNSEEN_CLASSES`, and lone surrogates. */
const UNSEEN = new RegExp(`[${UNSEEN_CLASSES}\\p{Cs}]`, 'gu')
/** The first part of an escape or of a surrogate pair at the end of a truncated string. */
const CUT_OFF = /(?:\\(?:u(?:\{[\da-f]*)?)?|[\ud800-\udbff])$/

const escapeOf = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`

/** Escapes each invisible character of JSON as `\uXXXX`. The value of the JSON stays the same. */
export function escapeJsonControlChars(json: string): string {
  return json.replace(UNSEEN, (character) => character.split('').map(unitOf).join(''))
}

const unitOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Returns the text with each invisible character as an escape such as `\u{1b}`.
 *
 * @param maxLength - The longest result, in UTF-16 units. A longer text is truncated, and `…` is added as one more unit. It is
 * never truncated within an escape or a surrogate pair. @defaultValue no limit
 *
 * @example
 * ```ts
 * import { escapeControlChars } from '@brokerwire/core'
 *
 * console.log(escapeControlChars('a\u001b[2Jb')) // a\u{1b}[2Jb
 * ```
 */
export function escapeControlChars(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  // Escaping never shortens a string, so characters after this length cannot be part of the result.
  const shown = text.slice(0, maxLength + 2).replace(UNSEEN, escapeOf)
  if (shown.length <= maxLength) return shown
  return `${shown.slice(0, maxLength).replace(CUT_OFF, '')}\u2026`
}
