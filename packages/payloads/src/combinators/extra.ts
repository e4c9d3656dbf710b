/** The undocumented fields of an object. */
import { type JsonText, mayLoseDigits } from '../exact-values.ts'
import { isShallow } from './json.ts'

/**
 * Undocumented fields under their wire names. The object has no prototype. A number that a JavaScript number cannot represent is a
 * `NumberText`, at any depth.
 */
export type Extra = Readonly<Record<string, unknown>>

/** The `extra` of an object without undocumented fields. It is frozen. */
export const NO_EXTRA: Extra = Object.freeze(Object.create(null) as Record<string, unknown>)

/** Creates an empty object without a prototype, so that `__proto__` is an ordinary key. */
export function createExtra(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>
}

/**
 * Collects the fields of an object that are not in `known`.
 *
 * @param count - Number of known fields that the object has.
 * @param json - The JSON text that contains the object.
 * @returns The fields; `undefined` if the decoder must check the object, because a key has spaces around it,
 * a value is nested deeply, or a number may have lost digits.
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
