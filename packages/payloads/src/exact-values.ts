/**
 * Parsed JSON in which no number has lost digits: those that a JavaScript number does not hold become `NumberText`.
 *
 * A number is exact if its decimal form is numerically equal to the source: `12.50` is 12.5, and `0.1` is 0.1,
 * but `9007199254740993`, `1e400` and a seventeenth digit are lost.
 */
import { isRecord } from '@brokerwire/core/internal'
import type { SourceNode } from './source-numbers.ts'
import { NumberText } from './values/number-text.ts'

/** A JSON number after a separator, with more than 15 characters of digits, or with an exponent. */
const LONG_NUMBER = /(?:^|[:,[])\s*-?(?:\d[\d.]{15}|[\d.]+[eE])/

/** A JSON text, with a cached property. */
export interface JsonText {
  readonly text: string
  /** Whether it may have an inexact number; `undefined` until it is checked. */
  mayLoseDigits: boolean | undefined
}

/** Whether a JSON text may have an inexact number. Digits within strings give false positives. */
export function mayLoseDigits(json: JsonText): boolean {
  json.mayLoseDigits ??= LONG_NUMBER.test(json.text)
  return json.mayLoseDigits
}

/** The significant digits of a decimal, and the position of the point after the first one. */
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

/** Whether `value`, which `JSON.parse` has made of `text`, is that number when it is written as a decimal. */
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
 * A parsed value with a `NumberText` for each inexact number; the value itself if there is none.
 *
 * @param node - The source of its numbers.
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
    // A spread copies a key named `__proto__` as a key; setting it then changes that key.
    copy ??= { ...value }
    copy[key] = item
  }
  return copy ?? value
}
