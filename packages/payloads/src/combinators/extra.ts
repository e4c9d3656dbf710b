/** Fields that no definition names. */
import { isShallow } from './json.ts'

/** Fields that no definition names, under their wire names; frozen when empty, without a prototype when not. */
export type Extra = Readonly<Record<string, unknown>>

/** Of an object whose fields are all known. */
export const NO_EXTRA: Extra = Object.freeze(Object.create(null) as Record<string, unknown>)

/** An empty one to fill: without a prototype, so that a key named `__proto__` is a key. */
export function newExtra(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>
}

/**
 * The fields beside the known ones.
 *
 * @param count - How many of the known ones the object has.
 * @returns `undefined` where a closer look is needed: a key with spaces around it, or deep nesting.
 */
export function extraBeside(
  value: Readonly<Record<string, unknown>>,
  count: number,
  known: ReadonlySet<string>,
): Extra | undefined {
  let keys = 0
  for (const _ in value) keys += 1
  if (keys === count) return NO_EXTRA
  const extra = newExtra()
  for (const key of Object.keys(value)) {
    if (known.has(key)) continue
    if (known.has(key.trim()) || !isShallow(value[key])) return undefined
    extra[key] = value[key]
  }
  return extra
}
