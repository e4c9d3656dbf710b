/** Rows that the page keeps: bounded in number and in bytes, the oldest go first. */

/** A row with its place, which no other row ever has. */
export interface Row<E> {
  readonly key: number
  readonly entry: E
  readonly bytes: number
}

/** Bounds of {@link appendRows}. */
export interface RowBounds {
  readonly maxRows: number
  readonly maxBytes: number
}

/** What the page keeps of events: so many, of together 8 MiB. Of requests as well. */
export const PAGE_BOUNDS: RowBounds = { maxRows: 5000, maxBytes: 8 * 1024 * 1024 }

/** What an entry costs beside its texts. */
const ENTRY_BYTES = 512

/** Size of an entry: two bytes for each character of its texts, however the browser holds them. */
function entryBytes(entry: object): number {
  let bytes = ENTRY_BYTES
  for (const value of Object.values(entry)) {
    if (typeof value === 'string') bytes += value.length * 2
    else if (Array.isArray(value)) for (const item of value) bytes += 32 + String(item).length * 2
  }
  return bytes
}

/** The rows with new entries behind them, cut to the bounds. */
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
    // The newest stays, whatever its size.
    if (bytes > bounds.maxBytes && first < all.length) break
    first -= 1
  }
  return first === 0 ? all : all.slice(first)
}
