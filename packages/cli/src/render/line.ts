/** One line of output: time, kind, text. Control characters are escaped. */
import { escapeControlChars } from '@brokerwire/core'
import type { Paint, Tone } from './palette.ts'

/** A line before formatting. */
export interface Line {
  /** Milliseconds since the Unix epoch, or text if the time is unknown. */
  readonly at: number | string
  readonly tag: string
  readonly text: string
  readonly tone: Tone
}

const TAG_WIDTH = 9
const TIME_WIDTH = 12

/** Formats a line. The time is UTC. */
export function renderLine(line: Line, paint: Paint): string {
  const { at } = line
  const time = (typeof at === 'number' ? new Date(at).toISOString().slice(11, 23) : at).padEnd(TIME_WIDTH)
  return `${paint('muted', time)}  ${paint(line.tone, line.tag.padEnd(TAG_WIDTH))} ${escapeControlChars(line.text, MAX_TEXT_CHARACTERS)}`
}

/** Maximum length of a text, because a payload may be megabytes long. `--json` prints the whole payload. */
const MAX_TEXT_CHARACTERS = 2000
