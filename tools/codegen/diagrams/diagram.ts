/** State diagrams in Mermaid, drawn from transition tables, and their places in a document. */

/** The part of a table's row that is drawn. */
export interface DrawnRow {
  readonly from: readonly string[]
  readonly on: string
  /** The condition in words. */
  readonly when: string | undefined
  /** None: the state stays. */
  readonly to: readonly string[]
}

/**
 * One arrow between two states, with all that leads from the one to the other; rows that leave a state as it is are not
 * drawn. The first state is the start, states that no arrow leaves are final.
 */
export function drawDiagram(table: readonly DrawnRow[]): string {
  /** Under each arrow, the kinds of fact by their condition. */
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
      const labels = [...conditions].map(([condition, facts]) => `${[...facts].join(' or ')}${condition}`)
      return `${arrow}: ${labels.join(', ')}`
    }),
    ...[...reached].filter((name) => !left.has(name)).map((name) => `${name} --> [*]`),
  ]
  return ['stateDiagram-v2', ...lines.map((line) => `  ${line}`)].join('\n')
}

/**
 * Puts a diagram between its two markers, `<!-- diagram: NAME -->` and `<!-- /diagram -->`.
 *
 * @returns The document; `undefined` where it has no such place.
 */
export function placeDiagram(document: string, name: string, diagram: string): string | undefined {
  const opening = `<!-- diagram: ${name} -->`
  const start = document.indexOf(opening)
  const end = document.indexOf('<!-- /diagram -->', start)
  if (start === -1 || end === -1) return undefined
  return `${document.slice(0, start)}${opening}\n\n\`\`\`mermaid\n${diagram}\n\`\`\`\n\n${document.slice(end)}`
}
