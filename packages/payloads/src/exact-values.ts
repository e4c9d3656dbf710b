/**
 * Detection of numbers that lost digits in `JSON.parse`, and their replacement with `NumberText`. A number is
 * exact if its decimal form equals the source numerically: `12.50` and `0.1` are exact, while
 * `9007199254740993`, `1e400` and a number with seventeen digits are not.
 */
import { isRecord } from '@brokerwire/core/internal'
import type { SourceNode } from './source-numbers.ts'
import { NumberText } from './values/number-text.ts'

/**
 * Matches a JSON number that may be inexact, because it has more than 15 characters of digits, or an
 * exponent.
 */
const LONG_NUMBER = /(?:^|[:,[])\s*-?(?:\d[\d.]{15}|[\d.]+[eE])/

/** A JSON text, with a cached result of {@link mayLoseDigits}. */
export interface JsonText {
  readonly text: string
  /** Whether the text may contain an inexact number. `undefined` until it is checked. */
  mayLoseDigits: boolean | undefined
}

/** Whether a JSON text may have an inexact number. Digits within strings give false positives. */
export function mayLoseDigits(json: JsonText): boolean {
  json.mayLoseDigits ??= LONG_NUMBER.test(json.text)
  return json.mayLoseDigits
}

/** The significant digits of a decimal, and the position of its decimal point. */
interface Significant {
  readonly negative: boolean
  readonly digits: string
  readonly point: number
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

function significant(text: string): Significant | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? []
  const all = whole + fraction
  let from = 0
  let to = all.length
  while (all[from] === '0') from += 1
  while (to > from && all[to - 1] === '0') to -= 1
  if (from === to) return undefined
  return {
    negative: sign === '-',
    digits: all.slice(from, to),
    point: whole.length - from + Number(exponent),
  }
}

/** Whether `value`, parsed from `text`, has all digits of `text`. */
export function isExact(value: number, text: string): boolean {
  const written = String(value)
  if (written === text) return true
  if (!Number.isFinite(value)) return false
  const ours = significant(written)
  const theirs = significant(text)
  return (
    ours?.digits === theirs?.digits && ours?.point === theirs?.point && ours?.negative === theirs?.negative
  )
}

/**
 * Returns a parsed value with a `NumberText` for each inexact number, or the value itself if there is none.
 *
 * @param node - Source of the numbers in the value.
 */
export function exactValue(value: unknown, node: SourceNode): unknown {
  if (typeof value === 'number')
    return typeof node !== 'string' || isExact(value, node) ? value : new NumberText(node)
  if (Array.isArray(value)) {
    if (!Array.isArray(node)) return value
    const items = value.map((item, index) => exactValue(item, node[index]))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (!isRecord(value) || !(node instanceof Map)) return value
  let copy: Record<string, unknown> | undefined
  for (const key of Object.keys(value)) {
    const item = exactValue(value[key], node.get(key))
    if (item === value[key]) continue
    // A spread copies a key named `__proto__` as an own key, so that the assignment changes this key.
    copy ??= { ...value }
    copy[key] = item
  }
  return copy ?? value
}
