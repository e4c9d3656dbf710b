/** Freezes an object with its arrays and inner objects. */
export function deepFreeze<T>(value: T): T {
  // Bytes cannot be frozen.
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value))
    return value
  for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}
