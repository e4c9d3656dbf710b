/** The rows of a list. Their number and size are limited. The oldest rows are removed first. */

/** A row with a unique key. */
export interface Row<E> {
  readonly key: number
  readonly entry: E
  readonly bytes: number
}

/** Limits of {@link appendRows}. */
export interface RowBounds {
  readonly maxRows: number
  readonly maxBytes: number
}

/** Limits of the page for events, and for requests: 5,000 rows and 8 MiB. */
export const PAGE_BOUNDS: RowBounds = { maxRows: 5000, maxBytes: 8 * 1024 * 1024 }

/** Estimated bytes of an entry without its strings. */
const ENTRY_BYTES = 512

/** Estimates the bytes of an entry, with two bytes for each character of its strings. */
function entryBytes(entry: object): number {
  let bytes = ENTRY_BYTES
  for (const value of Object.values(entry)) {
    if (typeof value === 'string') bytes += value.length * 2
    else if (Array.isArray(value)) for (const item of value) bytes += 32 + String(item).length * 2
  }
  return bytes
}

/** Appends entries, and removes the oldest rows above the limits. */
export function appendRows<E extends object>(
  rows: readonly Row<E>[],
  entries: readonly E[],
  bounds: RowBounds,
): readonly Row<E>[] {
  let key = (rows.at(-1)?.key ?? -1) + 1
  const all = rows.concat(entries.map((entry) => ({ key: key++, entry, bytes: entryBytes(entry) })))
  let bytes = 0
  let first = all.length
  while (first > 0 && all.length - first < bounds.maxRows) {
    bytes += all[first - 1]?.bytes ?? 0
    // The newest row stays, even if it exceeds the limit.
    if (bytes > bounds.maxBytes && first < all.length) break
    first -= 1
  }
  return first === 0 ? all : all.slice(first)
}
