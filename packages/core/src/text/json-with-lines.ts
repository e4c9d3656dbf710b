/**
 * Parses JSON and records the position of each value, so that the message about a wrong value in a file can
 * state its position.
 *
 * The work is linear in the length of the text, and nesting is limited to {@link MAX_DEPTH}.
 */

/** A position in a text. Line and column are counted from 1. */
export interface TextPosition {
  readonly line: number
  /** Column in UTF-16 units. */
  readonly column: number
}

/** Parsed JSON. */
export interface JsonWithLines {
  readonly value: unknown
  /**
   * Returns the position of the value at a path such as `steps[2].scene`. If there is no such value, returns
   * the position of the nearest value that would contain it.
   */
  positionOf(path: string): TextPosition
  /**
   * Returns the position of the name of the value at a path. An element of an array has no name, so the
   * position of the element is returned.
   */
  namePositionOf(path: string): TextPosition
}

/** The error for a text that is not JSON, with the position of the problem. */
export class JsonLineError extends Error implements TextPosition {
  readonly line: number
  readonly column: number
  /** Description of the expected text, as a noun phrase. */
  readonly expected: string
  /** The character at the position in quotes, or `the end`. */
  readonly found: string

  constructor({ line, column }: TextPosition, expected: string, found: string) {
    super(`expected ${expected}, got ${found}`)
    this.line = line
    this.column = column
    this.expected = expected
    this.found = found
  }
}

/** A value, with its position, the position of its name, and the values in it by name or index. */
interface Node {
  readonly at: number
  readonly nameAt: number
  readonly children: Map<string, Node>
}

const BLANK = /[ \t\r\n]*/y
const WORD = /[-+.\w]+/y
const MAX_DEPTH = 100

/**
 * Parses JSON as `JSON.parse` does, but rejects duplicate names in an object and more than 100 levels.
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
  let at = 0

  const blank = (): void => {
    BLANK.lastIndex = at
    BLANK.test(text)
    at = BLANK.lastIndex
  }
  const fail = (expected: string, found = text.charAt(at)): never => {
    throw new JsonLineError(positionAt(text, at), expected, found === '' ? 'the end' : JSON.stringify(found))
  }
  const scalar = (): unknown => {
    const end = text[at] === '"' ? endOfString(text, at) : endOfWord(text, at)
    if (end === undefined) return fail('a closing quote', '')
    try {
      const read: unknown = JSON.parse(text.slice(at, end))
      at = end
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
  /**
   * @param name - Name of the value in the value that contains it.
   * @param nameAt - Position of the name, if the value has one.
   */
  const value = (around: Node | undefined, name: string, depth: number, nameAt?: number): unknown => {
    blank()
    const node: Node = { at, nameAt: nameAt ?? at, children: new Map() }
    around?.children.set(name, node)
    root ??= node
    if (depth > MAX_DEPTH) fail(`at most ${MAX_DEPTH} levels`)
    if (take('{')) return object(node, depth)
    return take('[') ? array(node, depth) : scalar()
  }
  const array = (node: Node, depth: number): unknown => {
    const items: unknown[] = []
    if (take(']')) return items
    do {
      items.push(value(node, `[${items.length}]`, depth + 1))
    } while (take(','))
    return take(']') ? items : fail("',' or ']'")
  }
  const object = (node: Node, depth: number): unknown => {
    const fields: [string, unknown][] = []
    if (take('}')) return {}
    do {
      blank()
      const nameAt = at
      if (text[at] !== '"') fail('a name in double quotes')
      const name = String(scalar())
      if (node.children.has(name)) {
        const found = `${JSON.stringify(name.slice(0, 40))} again`
        throw new JsonLineError(positionAt(text, nameAt), 'each name once', found)
      }
      if (!take(':')) fail("':'")
      fields.push([name, value(node, name, depth + 1, nameAt)])
    } while (take(','))
    if (!take('}')) fail("',' or '}'")
    return Object.fromEntries(fields)
  }

  let root: Node | undefined
  const read = value(undefined, '', 0)
  blank()
  if (at < text.length) fail('the end')
  return {
    value: read,
    positionOf: (path) => positionAt(text, find(root, path)?.at ?? 0),
    namePositionOf: (path) => positionAt(text, find(root, path)?.nameAt ?? 0),
  }
}

function positionAt(text: string, at: number): TextPosition {
  let line = 1
  let lineStart = 0
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', lineStart)) {
    line += 1
    lineStart = end + 1
  }
  return { line, column: at - lineStart + 1 }
}

/**
 * Returns the position after the closing quote of the string literal that begins at `start`; `undefined` if
 * the literal has no closing quote.
 */
function endOfString(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at + 1
  }
  return undefined
}

function endOfWord(text: string, start: number): number {
  WORD.lastIndex = start
  return WORD.test(text) ? WORD.lastIndex : start
}

/**
 * Returns the node at a path, or the nearest node that would contain it. A name may contain dots and
 * brackets.
 */
function find(root: Node | undefined, path: string): Node | undefined {
  let node = root
  for (let rest = path; node !== undefined && rest !== ''; ) {
    const names: string[] = [...node.children.keys()].filter(
      (each) => rest.startsWith(each) && /^$|^[.[]/.test(rest.slice(each.length)),
    )
    const longest = names.reduce((one, other) => (other.length > one.length ? other : one), '')
    const child: Node | undefined = node.children.get(longest)
    if (longest === '' || child === undefined) break
    node = child
    rest = rest.slice(longest.length).replace(/^\./, '')
  }
  return node
}
