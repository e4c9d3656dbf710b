/** Parses a JSON object from a body. */
import { parseJsonObject, utf8Decode } from '@brokerwire/core/internal'

/** Parses the body. Returns `undefined` if the bytes are not a JSON object. */
export function jsonObject(body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  return parseJsonObject(utf8Decode(body))
}

/** Maximum number of levels. `JSON.stringify` could not serialize a value with many more levels. */
export const MAX_LEVELS = 1000

/**
 * Whether a JSON value has more levels than `maxLevels`. The check is iterative, because recursion would
 * overflow the stack.
 */
export function isTooDeep(value: unknown, maxLevels = MAX_LEVELS): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxLevels) return true
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return false
}
