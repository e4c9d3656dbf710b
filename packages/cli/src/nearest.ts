/** The name that somebody meant. */

/** How many letters are added, left out, replaced or swapped with their neighbour on the way from one to the other. */
function distance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= to.length; j += 1) {
      const same = from[i - 1] === to[j - 1]
      let least = Math.min(
        (row[j - 1] ?? 0) + 1,
        (rows[i - 1]?.[j] ?? 0) + 1,
        (rows[i - 1]?.[j - 1] ?? 0) + (same ? 0 : 1),
      )
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1])
        least = Math.min(least, (rows[i - 2]?.[j - 2] ?? 0) + 1)
      row.push(least)
    }
    rows.push(row)
  }
  return rows[from.length]?.[to.length] ?? 0
}

/** Longer names are nobody's typing error, and would take long to compare. */
const LONGEST = 64

/** The nearest of `names`, where one is near: at most a third of its letters differ. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined
  const ranked = names
    .map((known) => ({ known, away: distance(name.toLowerCase(), known.toLowerCase()) }))
    .filter(({ known, away }) => away <= Math.max(1, Math.floor(known.length / 3)))
    .sort((one, other) => one.away - other.away)
  return ranked[0]?.known
}

/** ` (Did you mean X?)`, or nothing. */
export function suggestion(name: string, names: readonly string[]): string {
  const found = nearest(name, names)
  return found === undefined ? '' : ` (Did you mean ${found}?)`
}
