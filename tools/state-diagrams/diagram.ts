/** State diagrams in Mermaid, drawn from transition tables, and their places in a document. */

/** The part of a table's row that is drawn. */
export interface DrawnRow {
  readonly from: readonly string[]
  readonly on: string
  /** The condition in words. */
  readonly when: string | undefined
  readonly to: string
}

/** One arrow for each row, in the table's order; the first state is the start, states without a row are final. */
export function drawDiagram(table: readonly DrawnRow[]): string {
  const [first] = table
  const start = first === undefined ? [] : first.from.slice(0, 1)
  const left = new Set(table.flatMap(({ from }) => from))
  const reached = new Set(table.map(({ to }) => to))
  const arrows = table.flatMap(({ from, on, when, to }) =>
    from.map((name) => `${name} --> ${to}: ${when === undefined ? on : `${on} [${when}]`}`),
  )
  const lines = [
    ...start.map((name) => `[*] --> ${name}`),
    ...arrows,
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
