/**
 * The order of names and values in a canonical string.
 *
 * JavaScript compares strings by UTF-16 unit, which puts an emoji before U+FF5E; bytewise order over UTF-8 is the
 * order of code points. The two differ only where surrogates meet U+E000 to U+FFFF.
 */

/** How names and values sort: docs/facts.md names both, `'code-point'` is the default. */
export type NameOrder = 'code-point' | 'utf-16'

/** All of them, the default first. */
export const ORDERS: readonly NameOrder[] = ['code-point', 'utf-16']

/** Compares two texts: negative, zero or positive. */
export type Compare = (left: string, right: string) => number

/** Moves surrogates above the rest of the basic plane, so that units compare as code points. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

/** Orders by code point, which is the bytewise order of UTF-8. */
export function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let i = 0; i < length; i += 1) {
    const a = left.charCodeAt(i)
    const b = right.charCodeAt(i)
    if (a !== b) return rank(a) - rank(b)
  }
  return left.length - right.length
}

/** Orders by UTF-16 unit, as Java and plain JavaScript do. */
export function compareUtf16(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
