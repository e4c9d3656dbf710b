/** Reads a JSON object from a body. */
import { parseJsonObject, utf8Decode } from '@brokerwire/core/internal'

/** The object, or `undefined` where the bytes are something else. */
export function jsonObject(body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  return parseJsonObject(utf8Decode(body))
}

/** What is nested deeper is nothing that anybody means, and nothing that could be written as JSON again. */
export const MAX_LEVELS = 1000

/** Whether a JSON value has more levels than `maxLevels`. Iterative: a recursive walk would overflow the stack. */
export function isTooDeep(value: unknown, maxLevels = MAX_LEVELS): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxLevels) return true
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return false
}
