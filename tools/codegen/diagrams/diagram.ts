/** State diagrams in Mermaid, generated from transition tables. */

/** The fields of a table row that the diagram shows. */
export interface DrawnRow {
  readonly from: readonly string[]
  readonly on: string
  /** Description of the condition. */
  readonly when: string | undefined
  /** Next states. Empty if the state does not change. */
  readonly to: readonly string[]
}

/**
 * Draws a diagram.
 *
 * - There is one arrow between two states, labelled with every row that leads from one to the other.
 * - Rows that do not change the state are not drawn.
 * - The first state is the start. States without an outgoing arrow are final.
 */
export function drawDiagram(table: readonly DrawnRow[]): string {
  /** For each arrow, its conditions, and the kinds of event with each condition. */
  const arrows = new Map<string, Map<string, Set<string>>>()
  for (const { from, on, when, to } of table) {
    for (const [start, end] of from.flatMap((start) => to.map((end) => [start, end] as const))) {
      if (start === end) continue
      const arrow = `${start} --> ${end}`
      const conditions = arrows.get(arrow) ?? new Map<string, Set<string>>()
      const condition = when === undefined ? '' : ` [${when}]`
      arrows.set(arrow, conditions.set(condition, (conditions.get(condition) ?? new Set()).add(on)))
    }
  }
  const left = new Set([...arrows.keys()].map((arrow) => arrow.split(' ')[0]))
  const reached = new Set(table.flatMap(({ to }) => to))
  const lines = [
    ...(table[0]?.from.slice(0, 1) ?? []).map((name) => `[*] --> ${name}`),
    ...[...arrows].map(([arrow, conditions]) => {
      const labels = [...conditions].map(([condition, events]) => `${[...events].join(' or ')}${condition}`)
      return `${arrow}: ${labels.join(', ')}`
    }),
    ...[...reached].filter((name) => !left.has(name)).map((name) => `${name} --> [*]`),
  ]
  return ['stateDiagram-v2', ...lines.map((line) => `  ${line}`)].join('\n')
}
