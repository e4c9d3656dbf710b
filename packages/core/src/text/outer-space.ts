/**
 * White space around app keys, secrets and tokens. If a value contains the line break of its file, the
 * signature never matches.
 */

import { stripByteOrderMark } from './bytes.ts'

/**
 * Removes a byte order mark at the start and one line break at the end of a value from a file or an
 * environment variable. Editors and `echo` add them.
 */
export const stripLineEnd = (text: string): string => stripByteOrderMark(text).replace(/\r?\n$/, '')

/**
 * Describes white space at an end of a string, such as `text with a line end at its end`. Returns `undefined`
 * if there is none.
 */
export function outerSpace(text: string): string | undefined {
  const found = /^\s|\s$/.exec(text)
  const name = /[\r\n]/.test(found?.[0] ?? '') ? 'a line end' : 'white space'
  return found ? `text with ${name} at its ${found.index === 0 ? 'start' : 'end'}` : undefined
}
