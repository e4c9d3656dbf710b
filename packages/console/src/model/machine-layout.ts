/**
 * The layout of a state machine's diagram, computed from its transition table.
 *
 * The column of a state is its distance from the start state. Final states share the last column.
 */
import type { ConsoleMove } from './wire.ts'

/** A state in the diagram. `x` and `y` are the position of its upper left corner. */
export interface PlacedState {
  readonly name: string
  readonly x: number
  readonly y: number
  /** Whether the state has no transition to another state. */
  readonly isFinal: boolean
}

/** All transitions from one state to another. */
export interface PlacedMove {
  readonly from: string
  readonly to: string
  readonly on: readonly string[]
  /** The attribute `d` of the SVG path. */
  readonly path: string
}

/** A diagram. */
export interface MachineLayout {
  readonly width: number
  readonly height: number
  readonly states: readonly PlacedState[]
  readonly moves: readonly PlacedMove[]
}

export const STATE_WIDTH = 88
export const STATE_HEIGHT = 30
const COLUMN = 128
const ROW = 52
const MARGIN = 4

/** Lays out a machine. The first transition of the table must begin at the start state. */
export function layOut(table: readonly ConsoleMove[]): MachineLayout {
  const ranks = computeRanks(table)
  const leaving = new Set(table.map(({ from }) => from))
  const names = [...ranks.keys()]
  const living = names.filter((name) => leaving.has(name))
  const final = names.filter((name) => !leaving.has(name))
  const lastColumn = Math.max(0, ...living.map((name) => ranks.get(name) ?? 0)) + (final.length > 0 ? 1 : 0)
  const rows = Math.max(1, final.length * 2 - 1)
  const height = (rows - 1) * ROW + STATE_HEIGHT + MARGIN * 2
  const middle = (height - STATE_HEIGHT) / 2
  const states = [
    ...living.map((name) => ({
      name,
      x: MARGIN + (ranks.get(name) ?? 0) * COLUMN,
      y: middle,
      isFinal: false,
    })),
    ...final.map((name, row) => ({
      name,
      x: MARGIN + lastColumn * COLUMN,
      y: final.length === 1 ? middle : MARGIN + row * ROW * 2,
      isFinal: true,
    })),
  ]
  const placed = new Map(states.map((each) => [each.name, each]))
  const moves = new Map<string, { from: string; to: string; on: string[] }>()
  for (const { from, to, on } of table) {
    const key = `${from} ${to}`
    const known = moves.get(key) ?? { from, to, on: [] }
    if (!known.on.includes(on)) known.on.push(on)
    moves.set(key, known)
  }
  return {
    width: MARGIN * 2 + lastColumn * COLUMN + STATE_WIDTH,
    height,
    states,
    moves: [...moves.values()].map((move) => {
      const [start, end] = [placed.get(move.from), placed.get(move.to)]
      return { ...move, path: start === undefined || end === undefined ? '' : createPath(start, end) }
    }),
  }
}

/** Returns the minimum number of transitions from the start state to each state, in breadth-first order. */
function computeRanks(table: readonly ConsoleMove[]): Map<string, number> {
  const ranks = new Map<string, number>()
  const [first] = table
  if (first === undefined) return ranks
  ranks.set(first.from, 0)
  for (const name of ranks.keys()) {
    for (const { from, to } of table) {
      if (from === name && !ranks.has(to)) ranks.set(to, (ranks.get(from) ?? 0) + 1)
    }
  }
  return ranks
}

/**
 * Returns a straight line or a curve to a state in the next column. For a more distant state, returns a curve
 * over or under the states between.
 */
function createPath(start: PlacedState, end: PlacedState): string {
  const [right, middle] = [start.x + STATE_WIDTH, start.y + STATE_HEIGHT / 2]
  const entry = end.y + STATE_HEIGHT / 2
  const isNeighbour = end.x - start.x <= COLUMN
  if (isNeighbour && middle === entry) return `M${right} ${middle}H${end.x - 6}`
  if (isNeighbour) {
    const bend = (right + end.x) / 2
    return `M${right} ${middle}C${bend} ${middle} ${bend} ${entry} ${end.x - 6} ${entry}`
  }
  const centre = start.x + STATE_WIDTH / 2
  const edge = entry < middle ? start.y : start.y + STATE_HEIGHT
  return `M${centre} ${edge}C${centre} ${entry} ${centre + 40} ${entry} ${end.x - 6} ${entry}`
}
