/**
 * Finds the source text of numbers in JSON that `JSON.parse` has accepted.
 *
 * `JSON.parse` turns 12.500000000000000001 into a float, and Node 20 gives revivers no access to the source. This
 * walks the text once, linear and bounded in depth, and only for a number in a field of exact text, or in an
 * undescribed field if the text has a long number.
 */

/** The numbers of a JSON text: the source of a number, the members of an object, the items of an array. */
export type SourceNode = string | undefined | readonly SourceNode[] | ReadonlyMap<string, SourceNode>

/** The numbers of a text, and the duplicate keys of its objects. */
export interface SourceNumbers {
  readonly root: SourceNode
  readonly duplicates: readonly (readonly (string | number)[])[]
}

/** Deeper structures are skipped: no decoder passes on what is nested deeper. */
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

/** @param text - JSON that `JSON.parse` accepts. */
export function parseSourceNumbers(text: string): SourceNumbers {
  const duplicates: (readonly (string | number)[])[] = []
  const path: (string | number)[] = []
  let at = 0

  const skipSpace = (): void => {
    while (at < text.length && text.charCodeAt(at) <= SPACE) at += 1
  }
  /** Moves past a string. Quotes are found natively; an odd run of backslashes before one escapes it. */
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
  /** Moves past a structure without recursion. */
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

/** The source of the numbers at `path` and below it. */
export function sourceAt({ root }: SourceNumbers, path: readonly (string | number)[]): SourceNode {
  let node = root
  for (const step of path) {
    if (node instanceof Map && typeof step === 'string') node = node.get(step)
    else if (Array.isArray(node) && typeof step === 'number') node = node[step]
    else return undefined
  }
  return node
}
