/** Prints two strings one above the other, with a caret under the first difference. */
import { escapeControlChars } from '@brokerwire/core'

const BEFORE = 40
const WIDTH = 100

/** Creates the lines. Control characters are escaped. */
export function caretLines(ours: string | undefined, theirs: string | undefined): readonly string[] {
  const [left, right] = [escapeControlChars(ours ?? '(absent)'), escapeControlChars(theirs ?? '(absent)')]
  let at = 0
  while (at < left.length && at < right.length && left[at] === right[at]) at += 1
  const from = Math.max(0, at - BEFORE)
  const cut = (text: string): string =>
    `${from > 0 ? '...' : ''}${text.slice(from, from + WIDTH)}${text.length > from + WIDTH ? '...' : ''}`
  const column = at - from + (from > 0 ? 3 : 0)
  return [`ours:    ${cut(left)}`, `theirs:  ${cut(right)}`, `         ${' '.repeat(column)}^`]
}
