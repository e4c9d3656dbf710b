/** White space around app keys, secrets and tokens. A line end that came with a file would be signed, and never match. */

const BYTE_ORDER_MARK = '\ufeff'

/**
 * A value as files and environment variables hold it, without a byte order mark at its start and one line end at its end.
 * Editors and `echo` add them.
 */
export const stripLineEnd = (text: string): string => text.replace(/^\ufeff/, '').replace(/\r?\n$/, '')

const NAMES: ReadonlyMap<string, string> = new Map([
  ['\n', 'a line end'],
  ['\r', 'a line end'],
  [' ', 'a space'],
  ['\t', 'a tab'],
  [BYTE_ORDER_MARK, 'a byte order mark'],
])

/** White space at an end of a text, such as `text with a line end at its end`. `undefined` if there is none. */
export function outerSpace(text: string): string | undefined {
  const start = /^\s/.exec(text)?.[0]
  const end = /\s$/.exec(text)?.[0]
  const found = end ?? start
  if (found === undefined) return undefined
  const name = NAMES.get(found) ?? 'white space'
  return `text with ${name} at its ${end === undefined ? 'start' : 'end'}`
}
