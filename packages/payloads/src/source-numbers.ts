/**
 * A parser of JSON that finds the source text of numbers. The text must be valid JSON. The parser is needed,
 * because `JSON.parse` converts 12.500000000000000001 to a float, and revivers have no access to the source
 * in Node 20. The parser takes linear time and has a limit of depth. It runs only if a decimal or string
 * field has a number, or if an undocumented field may have a number with too many digits.
 */

/**
 * The source text of a number, the nodes of the members of an object, or the nodes of the items of an array.
 * `undefined` for any other value.
 */
export type SourceNode = string | undefined | readonly SourceNode[] | ReadonlyMap<string, SourceNode>

/** The numbers of a text, and the paths of duplicate keys in its objects. */
export interface SourceNumbers {
  readonly root: SourceNode
  readonly duplicates: readonly (readonly (string | number)[])[]
}

/** Maximum depth. Deeper structures are skipped, because no decoder returns them. */
const MAX_DEPTH = 300
const MAX_DUPLICATES = 50

/** Character codes. */
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** Parses a text that is valid JSON. */
export function parseSourceNumbers(text: string): SourceNumbers {
  const duplicates: (readonly (string | number)[])[] = []
  const path: (string | number)[] = []
  let at = 0

  const skipSpace = (): void => {
    while (at < text.length && text.charCodeAt(at) <= SPACE) at += 1
  }
  /** Skips a string. A quote after an odd number of backslashes does not end it. */
  const skipString = (): void => {
    for (;;) {
      const quote = text.indexOf('"', at + 1)
      let backslashes = 0
      while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1
      at = quote
      if (backslashes % 2 === 0) {
        at += 1
        return
      }
    }
  }
  /** Skips an object or array without recursion. */
  const skipStructure = (): void => {
    let depth = 0
    do {
      const code = text.charCodeAt(at)
      if (code === QUOTE) {
        skipString()
        continue
      }
      at += 1
      if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1
      else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1
    } while (depth > 0)
  }
  const readKey = (): string => {
    const start = at
    skipString()
    const inner = text.slice(start + 1, at - 1)
    return inner.includes('\\') ? (JSON.parse(text.slice(start, at)) as string) : inner
  }
  const readObject = (): SourceNode => {
    const members = new Map<string, SourceNode>()
    at += 1
    skipSpace()
    while (text.charCodeAt(at) !== CLOSE_BRACE) {
      const key = readKey()
      skipSpace()
      at += 1 // the colon
      path.push(key)
      if (members.has(key) && duplicates.length < MAX_DUPLICATES) duplicates.push([...path])
      members.set(key, readValue())
      path.pop()
      skipSpace()
      if (text.charCodeAt(at) === COMMA) at += 1
      skipSpace()
    }
    at += 1
    return members
  }
  const readArray = (): SourceNode => {
    const items: SourceNode[] = []
    at += 1
    skipSpace()
    while (text.charCodeAt(at) !== CLOSE_BRACKET) {
      path.push(items.length)
      items.push(readValue())
      path.pop()
      skipSpace()
      if (text.charCodeAt(at) === COMMA) at += 1
      skipSpace()
    }
    at += 1
    return items
  }
  const readValue = (): SourceNode => {
    skipSpace()
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      skipString()
      return undefined
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (path.length < MAX_DEPTH) return code === OPEN_BRACE ? readObject() : readArray()
      skipStructure()
      return undefined
    }
    const start = at
    while (at < text.length && !isValueEnd(text.charCodeAt(at))) at += 1
    return code === MINUS || (code >= ZERO && code <= NINE) ? text.slice(start, at) : undefined
  }

  return { root: readValue(), duplicates }
}

function isValueEnd(code: number): boolean {
  return code <= SPACE || code === COMMA || code === CLOSE_BRACKET || code === CLOSE_BRACE
}

/** Returns the source of the numbers at `path` and below it. */
export function sourceAt({ root }: SourceNumbers, path: readonly (string | number)[]): SourceNode {
  let node = root
  for (const step of path) {
    if (node instanceof Map && typeof step === 'string') node = node.get(step)
    else if (Array.isArray(node) && typeof step === 'number') node = node[step]
    else return undefined
  }
  return node
}
