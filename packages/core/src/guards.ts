/** Small checks that all packages share. */

/** Whether `value` is an object that is neither `null` nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Makes the compiler check that a `switch` handles all cases, because a call in the `default` branch compiles
 * only if no case is left.
 */
export function unreachable(value: never): never {
  throw new TypeError(`unreachable: ${typeName(value)}`)
}

/**
 * Returns the kind of a value, for messages. The value itself is not shown, because it may be a secret.
 *
 * @returns For example `'a number'`, `'an empty string'`, `'null'`.
 */
export function typeName(value: unknown): string {
  const type = typeof value
  const isNone = value === null || value === undefined
  if (isNone || (type === 'number' && !Number.isFinite(value))) return String(value)
  if (value === '') return 'an empty string'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  return type === 'object' ? 'an object' : `a ${type}`
}
