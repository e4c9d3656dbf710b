/**
 * The order of names and values in a canonical string, and the options about it.
 *
 * JavaScript compares strings by UTF-16 unit, which puts an emoji before U+FF5E; bytewise order over UTF-8 is the
 * order of code points. The two differ only where surrogates meet U+E000 to U+FFFF.
 */

/** How names and values sort: docs/facts.md names both, `'code-point'` is the default. */
export type NameOrder = 'code-point' | 'utf-16'

/** Compares two texts: negative, zero or positive. */
export type Compare = (left: string, right: string) => number

/** Texts by their first difference in what `unit` reads; one that begins another comes before it. */
const by =
  (unit: 'codePointAt' | 'charCodeAt'): Compare =>
  (left, right) => {
    for (let i = 0; i < left.length; i += 1) {
      // Behind the end of the shorter text there is none, and the difference is no number.
      const difference = (left[unit](i) as number) - (right[unit](i) as number)
      if (difference) return difference
    }
    return left.length - right.length
  }

/** The comparison that an order means. */
export const ORDERS: Readonly<Record<NameOrder, Compare>> = {
  // The bytewise order of UTF-8.
  'code-point': /* @__PURE__ */ by('codePointAt'),
  // As Java and plain JavaScript have it.
  'utf-16': /* @__PURE__ */ by('charCodeAt'),
}

/**
 * How a query name that equals a signed header's shares its entry: the specification sorts the values, the public
 * clients put the header's first.
 */
export type HeaderCollision = 'sorted' | 'header-first'

/** Whether such values are sorted, by the option's name for it. */
export const COLLISIONS: Readonly<Record<HeaderCollision, boolean>> = { sorted: true, 'header-first': false }
