/** One line of output: when, what kind, what. Text from elsewhere steers no terminal. */
import { printable } from '@brokerwire/core'
import type { Paint, Tone } from './palette.ts'

/** A line before it is laid out. */
export interface Line {
  /** Milliseconds since the Unix epoch, or what stands there where no time is known. */
  readonly at: number | string
  readonly tag: string
  readonly text: string
  readonly tone: Tone
}

const TAG_WIDTH = 9
const TIME_WIDTH = 12

/** Lays out a line. The time is UTC. */
export function renderLine(line: Line, paint: Paint): string {
  const { at } = line
  const time = (typeof at === 'number' ? new Date(at).toISOString().slice(11, 23) : at).padEnd(TIME_WIDTH)
  return `${paint('muted', time)}  ${paint(line.tone, line.tag.padEnd(TAG_WIDTH))} ${printable(line.text, MAX_TEXT_CHARACTERS)}`
}

/** A payload may be megabytes; `--json` has it whole. */
const MAX_TEXT_CHARACTERS = 2000
