/** An independent parser of JSON without floating-point numbers, with which exact values are compared. */
import { compareDecimals, parseDecimal } from '../values/decimal.ts'
import { isNumberText } from '../values/number-text.ts'

/** A number as in the text. */
class SourceNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+)/gs

/** Parses valid JSON to objects without a prototype, arrays and scalars, with numbers as text. */
function referenceParse(text: string): unknown {
  const tokens = Array.from(text.matchAll(TOKEN), ([, token]) => token as string)
  let at = 0
  const read = (): unknown => {
    const token = tokens[at++] as string
    if (token === '{') {
      const members: [string, unknown][] = []
      while (tokens[at] !== '}') {
        const key = JSON.parse(tokens[at] as string) as string
        at += 2
        members.push([key, read()])
        if (tokens[at] === ',') at += 1
      }
      at += 1
      return new Map(members)
    }
    if (token === '[') {
      const items: unknown[] = []
      while (tokens[at] !== ']') {
        items.push(read())
        if (tokens[at] === ',') at += 1
      }
      at += 1
      return items
    }
    return /^[-\d]/.test(token) ? new SourceNumber(token) : JSON.parse(token)
  }
  return read()
}

/** Whether a decoded value equals the text, and each number has all its digits. */
export function isExactly(value: unknown, text: string): boolean {
  return same(value, referenceParse(text))
}

function same(value: unknown, source: unknown): boolean {
  if (source instanceof SourceNumber) {
    if (isNumberText(value)) return value.text === source.text && !isHeld(Number(source.text), source.text)
    return typeof value === 'number' && isHeld(value, source.text)
  }
  if (source instanceof Map) {
    const keys = typeof value === 'object' && value !== null ? Object.keys(value) : []
    return (
      keys.length === source.size &&
      keys.every((key) => source.has(key) && same((value as Record<string, unknown>)[key], source.get(key)))
    )
  }
  if (Array.isArray(source)) {
    return (
      Array.isArray(value) &&
      value.length === source.length &&
      value.every((item, index) => same(item, source[index]))
    )
  }
  return value === source
}

/** Compares with integers of any size, if there are few enough digits. */
function isHeld(value: number, text: string): boolean {
  const [ours, theirs] = [parseDecimal(String(value)), parseDecimal(text)]
  if (ours === undefined) return false
  return theirs === undefined ? String(value) === text : compareDecimals(ours, theirs) === 0
}
