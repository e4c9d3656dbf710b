/**
 * The JSON objects of a text: one a line, or one on several lines, as `jq` and editors write it.
 *
 * An object that is broken costs itself alone: where a line is a whole object, the one before has ended.
 */
import { isRecord, JsonLineError, readJsonWithLines, type TextPosition } from '@brokerwire/core/internal'
import { inputError } from '../input-stream.ts'
import type { NumberedLine } from './lines.ts'

/** An object with its text, or what is wrong. `line` is where it begins, or where it is wrong. */
export type InputRecord =
  | { readonly line: number; readonly text: string; readonly value: Readonly<Record<string, unknown>> }
  | { readonly line: number; readonly column?: number | undefined; readonly expected: string }

/** An object that goes on. */
interface Open {
  readonly line: number
  readonly parts: string[]
  length: number
  depth: number
  isInText: boolean
}

/** Reads the objects. @throws CliError `CLI_INPUT_UNREADABLE` where one is longer than the bound. */
export async function* readRecords(
  lines: AsyncIterable<NumberedLine>,
  maxLength: number,
): AsyncGenerator<InputRecord, void, undefined> {
  let open: Open | undefined
  for await (const { number, text } of lines) {
    if (text === undefined) {
      yield { line: number, expected: 'text in UTF-8' }
      open = undefined
      continue
    }
    if (open === undefined && text.trim() === '') continue
    const whole = open === undefined || text.startsWith('{') ? parseObject(text) : undefined
    if (whole !== undefined) {
      if (open !== undefined) yield problemOf(open)
      open = undefined
      yield { line: number, text, value: whole }
      continue
    }
    open ??= { line: number, parts: [], length: 0, depth: 0, isInText: false }
    open.parts.push(text)
    open.length += text.length
    if (open.length > maxLength)
      throw inputError(
        `must have objects of at most ${maxLength} bytes; the one of line ${open.line} is longer`,
      )
    follow(open, text)
    // A text of JSON ends in its line, and what is no object does not go on in the next one.
    if (open.depth > 0 && !open.isInText) continue
    const joined = open.parts.join('\n')
    const value = parseObject(joined)
    yield value === undefined ? problemOf(open) : { line: open.line, text: joined, value }
    open = undefined
  }
  if (open !== undefined) yield problemOf(open)
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Counts how deep the text is, beginning where the last line has ended. */
function follow(open: Open, text: string): void {
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (open.isInText) {
      if (character === '\\') at += 1
      else if (character === '"') open.isInText = false
    } else if (character === '"') open.isInText = true
    else if (character === '{' || character === '[') open.depth += 1
    else if (character === '}' || character === ']') open.depth -= 1
  }
}

/** Why the text is no JSON object, and where. The host's parser does not always state it, and quotes what it reads. */
function problemOf({ line, parts }: Open): InputRecord {
  const text = parts.join('\n')
  const problem = (position: TextPosition, expected: string): InputRecord => ({
    line: line + position.line - 1,
    column: position.column,
    expected,
  })
  try {
    return problem(readJsonWithLines(text).positionOf(''), 'a JSON object')
  } catch (error) {
    if (!(error instanceof JsonLineError)) throw error
    return problem(error, `JSON (${error.expected} instead of ${error.found})`)
  }
}
