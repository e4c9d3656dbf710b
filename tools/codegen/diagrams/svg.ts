/**
 * State diagrams as SVG. Positions and labels are written by hand; `checkLayout` compares them with the transition table,
 * so a diagram cannot lack a state, an arrow or an event.
 *
 * The picture has its own background, so that it is readable on a page of either color scheme.
 */

/** The fields of a table row that the diagram shows. */
export interface DrawnRow {
  readonly from: readonly string[]
  readonly on: string
  /** Next states. Empty if the state does not change. */
  readonly to: readonly string[]
}

/** A box, with the states that it merges. */
interface Box {
  readonly title: string
  readonly states: readonly string[]
  /** Position of the upper left corner, width and height. */
  readonly at: readonly [x: number, y: number, width: number, height: number]
  readonly look?: 'usable' | 'ended'
}

/** An arrow between two boxes, with the types of the events that it merges. */
interface Arrow {
  /** Titles of the two boxes. */
  readonly from: string
  readonly to: string
  readonly on: readonly string[]
  readonly path: string
  readonly label: Label
}

interface Label {
  readonly lines: readonly string[]
  /** Position of the first line. */
  readonly at: readonly [x: number, y: number]
  /** @defaultValue 'middle' */
  readonly anchor?: 'start' | 'middle' | 'end'
}

/** A diagram. The first box is the start. */
export interface Layout {
  readonly title: string
  readonly width: number
  readonly height: number
  readonly boxes: readonly [Box, ...Box[]]
  readonly arrows: readonly Arrow[]
}

/** Returns the arrows that the diagram has without need, and those that it lacks. Empty if it shows the table. */
export function checkLayout({ boxes, arrows }: Layout, table: readonly DrawnRow[]): string[] {
  const boxOf = (state: string): string =>
    boxes.find(({ states }) => states.includes(state))?.title ?? `no box (${state})`
  const expected = new Set(
    table
      .flatMap(({ from, on, to }) =>
        from.flatMap((start) => to.map((end) => [boxOf(start), boxOf(end), on] as const)),
      )
      .flatMap(([start, end, on]) => (start === end ? [] : [`${start} to ${end}: ${on}`])),
  )
  const drawn = new Set(arrows.flatMap(({ from, to, on }) => on.map((type) => `${from} to ${to}: ${type}`)))
  return [
    ...[...expected].filter((arrow) => !drawn.has(arrow)).map((arrow) => `missing: ${arrow}`),
    ...[...drawn].filter((arrow) => !expected.has(arrow)).map((arrow) => `not in the table: ${arrow}`),
  ]
}

const STYLE = `
    .page { fill: #ffffff; stroke: #d0d7de }
    .box { fill: #f6f8fa; stroke: #57606a; stroke-width: 1.5 }
    .usable { fill: #dafbe1; stroke: #1a7f37 }
    .ended { fill: #ffebe9; stroke: #cf222e }
    .arrow { fill: none; stroke: #57606a; stroke-width: 1.5 }
    .head { fill: #57606a }
    text { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #24292f }
    .name { font-size: 15px; font-weight: 600 }
    @media (prefers-color-scheme: dark) {
      .page { fill: #161b22; stroke: #30363d }
      .box { fill: #21262d; stroke: #8b949e }
      .usable { fill: #12361f; stroke: #3fb950 }
      .ended { fill: #4a1d1f; stroke: #f85149 }
      .arrow { stroke: #8b949e }
      .head { fill: #8b949e }
      text { fill: #e6edf3 }
    }`

/** Draws the diagram. */
export function drawSvg({ title, width, height, boxes, arrows }: Layout): string {
  const [startX, startY] = startOf(boxes[0])
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">`,
    `  <title id="title">${title}</title>`,
    `  <style>${STYLE}\n  </style>`,
    '  <defs>',
    '    <marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto">',
    '      <path class="head" d="M0 0 10 5 0 10z"/>',
    '    </marker>',
    '  </defs>',
    `  <rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    `  <circle class="head" cx="${startX - 26}" cy="${startY}" r="5"/>`,
    `  <path class="arrow" marker-end="url(#head)" d="M${startX - 21} ${startY}H${startX}"/>`,
    ...arrows.map(({ path }) => `  <path class="arrow" marker-end="url(#head)" d="${path}"/>`),
    ...boxes.flatMap(drawBox),
    ...arrows.flatMap(({ label }) => drawLabel(label)),
    '</svg>',
    '',
  ].join('\n')
}

const startOf = ({ at: [x, y, , height] }: Box): [number, number] => [x, y + height / 2]

function drawBox({ title, states, look, at: [x, y, width, height] }: Box): string[] {
  const merged = states.length === 1 && states[0] === title ? [] : [states.join(', ')]
  const center = x + width / 2
  const first = y + height / 2 + (merged.length === 0 ? 5 : -4)
  return [
    `  <rect class="box${look === undefined ? '' : ` ${look}`}" x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>`,
    `  <text class="name" x="${center}" y="${first}" text-anchor="middle">${title}</text>`,
    ...merged.map((line) => `  <text x="${center}" y="${first + 19}" text-anchor="middle">${line}</text>`),
  ]
}

const drawLabel = ({ lines, at: [x, y], anchor = 'middle' }: Label): string[] =>
  lines.map((line, index) => `  <text x="${x}" y="${y + index * 16}" text-anchor="${anchor}">${line}</text>`)
