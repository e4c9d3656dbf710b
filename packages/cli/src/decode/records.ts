/**
 * Splits text into JSON objects: one per line, or one on several lines, as `jq` and editors write them. An
 * invalid object does not affect the next one, because a line that is a whole object starts a new record.
 */
import { isRecord, JsonLineError, readJsonWithLines, type TextPosition } from '@brokerwire/core/internal'
import { inputError } from '../input-stream.ts'
import type { NumberedLine } from './lines.ts'

/** An object with its text, or an error. `line` is the line of its start or of the error. */
export type InputRecord =
  | { readonly line: number; readonly text: string; readonly value: Readonly<Record<string, unknown>> }
  | { readonly line: number; readonly column?: number | undefined; readonly expected: string }

/** An incomplete object. */
interface PartialRecord {
  readonly line: number
  readonly parts: string[]
  length: number
  depth: number
  isInString: boolean
}

/** Reads the objects. @throws CliError `CLI_INPUT_UNREADABLE` if one is too long. */
export async function* readRecords(
  lines: AsyncIterable<NumberedLine>,
  maxLength: number,
): AsyncGenerator<InputRecord, void, undefined> {
  let open: PartialRecord | undefined
  for await (const { number, text } of lines) {
    if (text === undefined) {
      yield { line: number, expected: 'text in UTF-8' }
      open = undefined
      continue
    }
    if (open === undefined && text.trim() === '') continue
    const whole = open === undefined || text.startsWith('{') ? parseObject(text) : undefined
    if (whole !== undefined) {
      if (open !== undefined) yield describeProblem(open)
      open = undefined
      yield { line: number, text, value: whole }
      continue
    }
    open ??= { line: number, parts: [], length: 0, depth: 0, isInString: false }
    open.parts.push(text)
    open.length += text.length
    if (open.length > maxLength)
      throw inputError(
        `must have objects of at most ${maxLength} bytes; the one of line ${open.line} is longer`,
      )
    trackNesting(open, text)
    // A JSON string ends on its line, and text that is not an object does not continue on the next line.
    if (open.depth > 0 && !open.isInString) continue
    const joined = open.parts.join('\n')
    const value = parseObject(joined)
    yield value === undefined ? describeProblem(open) : { line: open.line, text: joined, value }
    open = undefined
  }
  if (open !== undefined) yield describeProblem(open)
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Updates the nesting depth with the next line. */
function trackNesting(open: PartialRecord, text: string): void {
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (open.isInString) {
      if (character === '\\') at += 1
      else if (character === '"') open.isInString = false
    } else if (character === '"') open.isInString = true
    else if (character === '{' || character === '[') open.depth += 1
    else if (character === '}' || character === ']') open.depth -= 1
  }
}

/**
 * Returns the reason why the text is not a JSON object, with the position. The host's parser is not used,
 * because it does not always report the position, and quotes its input.
 */
function describeProblem({ line, parts }: PartialRecord): InputRecord {
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
