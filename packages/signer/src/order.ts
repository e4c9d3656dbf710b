/**
 * The order of names and values in a canonical string, and its options. JavaScript compares strings by UTF-16
 * code unit. The bytewise order of UTF-8 is the order of code points. The two orders differ only if a
 * surrogate is compared with U+E000 to U+FFFF. For example, an emoji comes before U+FF5E by code unit, and
 * after it by code point.
 */
import { oneOf, type Schema } from '@brokerwire/core/internal'

/** Order of names and values. docs/facts.md describes both orders; `'code-point'` is the default. */
export type NameOrder = 'code-point' | 'utf-16'

/** Compares two strings. Returns a negative number, 0 or a positive number. */
export type Compare = (left: string, right: string) => number

/**
 * Compares strings in the bytewise order of UTF-8: by the first different code point. A prefix comes before
 * the longer string.
 */
function byCodePoint(left: string, right: string): number {
  if (left === right) return 0
  const length = Math.min(left.length, right.length)
  for (let i = 0; i < length; i += 1) {
    const difference = (left.codePointAt(i) as number) - (right.codePointAt(i) as number)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

/** Compares strings by UTF-16 code unit, as JavaScript and Java do. */
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
 * Order of the values if a query name equals a signed header. The header and the parameter then share one
 * entry. `'sorted'` is the order of the specification, and `'header-first'` is that of the public clients.
 */
export type HeaderCollision = 'sorted' | 'header-first'

/** Whether the values are sorted, for each {@link HeaderCollision}. */
export const COLLISIONS: Readonly<Record<HeaderCollision, boolean>> = { sorted: true, 'header-first': false }

/** Schema of the option `nameOrder`. */
export const NAME_ORDER: Schema<NameOrder> = /* @__PURE__ */ oneOf(['code-point', 'utf-16'], 'code-point')

/** Schema of the option `headerCollision`. */
export const HEADER_COLLISION: Schema<HeaderCollision> = /* @__PURE__ */ oneOf(
  ['sorted', 'header-first'],
  'sorted',
)
