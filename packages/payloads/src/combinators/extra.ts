/** Fields that no definition names. */
import { type JsonText, mayLoseDigits } from '../exact-values.ts'
import { isShallow } from './json.ts'

/**
 * Fields that no definition names, under their wire names; frozen when empty, without a prototype when not. A number that a
 * JavaScript number does not hold is a `NumberText`, at any depth.
 */
export type Extra = Readonly<Record<string, unknown>>

/** Of an object whose fields are all known. */
export const NO_EXTRA: Extra = Object.freeze(Object.create(null) as Record<string, unknown>)

/** An empty one to fill: without a prototype, so that a key named `__proto__` is a key. */
export function createExtra(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>
}

/**
 * The fields beside the known ones.
 *
 * @param count - How many of the known ones the object has.
 * @param json - The text that it stands in.
 * @returns `undefined` where a closer look is needed: a key with spaces around it, deep nesting, or numbers that may
 * have lost digits.
 */
export function collectExtra(
  value: Readonly<Record<string, unknown>>,
  count: number,
  known: ReadonlySet<string>,
  json: JsonText,
): Extra | undefined {
  let keys = 0
  for (const _ in value) keys += 1
  if (keys === count) return NO_EXTRA
  const extra = createExtra()
  for (const key of Object.keys(value)) {
    if (known.has(key)) continue
    const item = value[key]
    if (known.has(key.trim()) || !isShallow(item)) return undefined
    if (typeof item !== 'string' && mayLoseDigits(json)) return undefined
    extra[key] = item
  }
  return extra
}
