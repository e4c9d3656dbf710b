/** Parses JSON and records the position of each value, so that an error in a file can state it. */

/** A position in a text, both from 1. */
export interface TextPosition {
  readonly line: number
  /** In UTF-16 units. */
  readonly column: number
}

/** Parsed JSON. */
export interface JsonWithLines {
  readonly value: unknown
  /** The position of the value at a path such as `steps[2].scene`, or of the nearest value around it. */
  positionOf(path: string): TextPosition
}

/** The text is no JSON. */
export class JsonLineError extends Error implements TextPosition {
  readonly line: number
  readonly column: number

  constructor({ line, column }: TextPosition, expected: string, found: string) {
    super(`expected ${expected}, got ${found}`)
    this.line = line
    this.column = column
  }
}

const BLANK = /[ \t\r\n]*/y
const SCALAR = /"(?:[^"\\]+|\\[\s\S])*"|[-+.\w]+/y
const MAX_DEPTH = 100

/**
 * Reads what `JSON.parse` reads.
 *
 * @throws {@link JsonLineError}
 *
 * @example
 * ```ts
 * import { readJsonWithLines } from '@brokerwire/core/internal'
 *
 * console.log(readJsonWithLines('{\n"a": 1\n}').positionOf('a')) // { line: 2, column: 6 }
 * ```
 */
export function readJsonWithLines(text: string): JsonWithLines {
  const positions = new Map<string, TextPosition>()
  let at = 0
  let counted = 0
  let line = 1
  let lineStart = 0

  const here = (): TextPosition => {
    for (; counted < at; counted += 1) {
      if (text[counted] !== '\n') continue
      line += 1
      lineStart = counted + 1
    }
    return { line, column: at - lineStart + 1 }
  }
  const blank = (): void => {
    BLANK.lastIndex = at
    BLANK.test(text)
    at = BLANK.lastIndex
  }
  const fail = (expected: string): never => {
    const found = text.charAt(at)
    throw new JsonLineError(here(), expected, found === '' ? 'the end' : JSON.stringify(found))
  }
  const scalar = (): unknown => {
    SCALAR.lastIndex = at
    const found = SCALAR.exec(text)?.[0]
    if (found === undefined) return fail('a JSON value')
    try {
      const read: unknown = JSON.parse(found)
      at += found.length
      return read
    } catch {
      return fail('a JSON value')
    }
  }
  const take = (token: string): boolean => {
    blank()
    if (text[at] !== token) return false
    at += 1
    return true
  }
  const value = (path: string, depth: number): unknown => {
    blank()
    positions.set(path, here())
    if (depth > MAX_DEPTH) fail(`at most ${MAX_DEPTH} levels`)
    if (take('{')) return object(path, depth)
    if (!take('[')) return scalar()
    const items: unknown[] = []
    if (take(']')) return items
    do {
      items.push(value(`${path}[${items.length}]`, depth + 1))
    } while (take(','))
    return take(']') ? items : fail("',' or ']'")
  }
  const object = (path: string, depth: number): unknown => {
    const fields: [string, unknown][] = []
    if (take('}')) return {}
    do {
      blank()
      if (text[at] !== '"') fail('a name in double quotes')
      const name = String(scalar())
      if (fields.some(([other]) => other === name)) {
        throw new JsonLineError(here(), 'each name once', `${JSON.stringify(name.slice(0, 40))} again`)
      }
      if (!take(':')) fail("':'")
      fields.push([name, value(path === '' ? name : `${path}.${name}`, depth + 1)])
    } while (take(','))
    if (!take('}')) fail("',' or '}'")
    return Object.fromEntries(fields)
  }

  const root = value('', 0)
  blank()
  if (at < text.length) fail('the end')
  return {
    value: root,
    positionOf(path) {
      for (let rest = path; rest !== ''; rest = rest.replace(/(\.[^.[]*|\[\d+\]|^[^.[]+)$/, '')) {
        const found = positions.get(rest)
        if (found !== undefined) return found
      }
      return positions.get('') ?? { line: 1, column: 1 }
    },
  }
}
