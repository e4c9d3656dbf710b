/** One line of output: when, what kind, what. Text from elsewhere steers no terminal. */
import { printable } from '@brokerwire/core'
import type { Paint, Tone } from './palette.ts'

/** A line before it is laid out. */
export interface Line {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number
  readonly tag: string
  readonly text: string
  readonly tone: Tone
}

const TAG_WIDTH = 9

/** Lays out a line. The time is UTC. */
export function renderLine(line: Line, paint: Paint): string {
  const time = new Date(line.atMs).toISOString().slice(11, 23)
  return `${paint('muted', time)}  ${paint(line.tone, line.tag.padEnd(TAG_WIDTH))} ${printable(line.text, MAX_TEXT_CHARACTERS)}`
}

/** A payload may be megabytes; `--json` has it whole. */
const MAX_TEXT_CHARACTERS = 2000
