/**
 * A virtual list: a box that scrolls, with only the visible rows in the page. All rows have the same height.
 *
 * If the user has scrolled down, new rows above do not move the visible rows.
 */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Number of additional rows that are in the page above the visible rows, and below them. */
const OVERSCAN_ROWS = 8
/** Maximum number of rows in the page. */
const MAX_ROWS = 200

/** Focuses the selected row before its details are closed, because otherwise the focus would be lost. */
export function focusOpenedRow(): void {
  document.querySelector<HTMLElement>('.rows [aria-pressed="true"]')?.focus()
}

export interface VirtualListProps<R extends { readonly key: number }> {
  readonly label: string
  /** The rows, newest last. The list shows the newest first. */
  readonly rows: readonly R[]
  readonly rowHeight: number
  readonly children: (row: R) => ComponentChildren
}

export function VirtualList<R extends { readonly key: number }>(props: VirtualListProps<R>) {
  const { label, rows, rowHeight, children } = props
  const box = useRef<HTMLElement>(null)
  const newest = useRef<number | undefined>(undefined)
  const [view, setView] = useState({ top: 0, height: 600 })
  const look = (): void => {
    const { scrollTop: top = 0, clientHeight: height = 600 } = box.current ?? {}
    if (top !== view.top || height !== view.height) setView({ top, height })
  }
  useLayoutEffect(() => {
    const last = rows.at(-1)?.key
    const before = newest.current
    newest.current = last
    const { current } = box
    if (current === null) return
    const added =
      before === undefined || last === undefined ? 0 : rows.filter(({ key }) => key > before).length
    if (current.scrollTop > 0 && added > 0) current.scrollTop += added * rowHeight
    look()
  }, [rows])
  const first = Math.max(0, Math.floor(view.top / rowHeight) - OVERSCAN_ROWS)
  const count = Math.min(MAX_ROWS, Math.ceil(view.height / rowHeight) + OVERSCAN_ROWS * 2)
  const shown: R[] = []
  for (let at = first; at < Math.min(rows.length, first + count); at += 1) {
    const row = rows[rows.length - 1 - at]
    if (row !== undefined) shown.push(row)
  }
  return (
    <section class="scroll" ref={box} onScroll={look} tabIndex={0} aria-label={label}>
      <ol class="rows" style={{ height: `${rows.length * rowHeight}px` }}>
        {shown.map((row, at) => (
          <li
            key={row.key}
            aria-setsize={rows.length}
            aria-posinset={first + at + 1}
            style={{ height: `${rowHeight}px`, transform: `translateY(${(first + at) * rowHeight}px)` }}
          >
            {children(row)}
          </li>
        ))}
      </ol>
    </section>
  )
}
