/**
 * The order of names and values in a canonical string, and the options about it.
 *
 * JavaScript compares strings by UTF-16 unit, which puts an emoji before U+FF5E; bytewise order over UTF-8 is the
 * order of code points. The two differ only where surrogates meet U+E000 to U+FFFF.
 */
import { oneOf, type Schema } from '@brokerwire/core/internal'

/** Order of names and values: docs/facts.md names both, `'code-point'` is the default. */
export type NameOrder = 'code-point' | 'utf-16'

/** Compares two texts: negative, zero or positive. */
export type Compare = (left: string, right: string) => number

/** The bytewise order of UTF-8: by the first code point that differs. A text that begins another comes before it. */
function byCodePoint(left: string, right: string): number {
  if (left === right) return 0
  const length = Math.min(left.length, right.length)
  for (let i = 0; i < length; i += 1) {
    const difference = (left.codePointAt(i) as number) - (right.codePointAt(i) as number)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

/** The order of plain JavaScript and of Java. */
function byUtf16Unit(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** The comparison of each order. */
export const ORDERS: Readonly<Record<NameOrder, Compare>> = {
  'code-point': byCodePoint,
  'utf-16': byUtf16Unit,
}

/**
 * How a query name that equals a signed header's shares its entry: the specification sorts the values, the public
 * clients put the header's first.
 */
export type HeaderCollision = 'sorted' | 'header-first'

/** Whether such values are sorted, by the option's name for it. */
export const COLLISIONS: Readonly<Record<HeaderCollision, boolean>> = { sorted: true, 'header-first': false }

/** Schema of the option `nameOrder`. */
export const NAME_ORDER: Schema<NameOrder> = /* @__PURE__ */ oneOf(['code-point', 'utf-16'], 'code-point')

/** Schema of the option `headerCollision`. */
export const HEADER_COLLISION: Schema<HeaderCollision> = /* @__PURE__ */ oneOf(
  ['sorted', 'header-first'],
  'sorted',
)
