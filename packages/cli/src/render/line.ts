/** One line of output: when, what kind, what. */
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
  return `${paint('muted', time)}  ${paint(line.tone, line.tag.padEnd(TAG_WIDTH))} ${printable(line.text)}`
}

/** Text from elsewhere must not steer the terminal: control characters are shown as their escapes. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `\\u{${code.toString(16)}}`
  })
}
