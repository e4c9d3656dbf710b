/** JSON of any form, as parsed. */

import { exactUndescribed, INVALID, invalid } from '../decode-context.ts'
import { type Decoder, decoder } from '../decoder.ts'

/** Deepest nesting that is passed on: deeper, and a caller's `JSON.stringify` overflows the stack. */
const MAX_DEPTH = 256

/** Any JSON value. A number that a JavaScript number does not hold is a `NumberText`. */
export const json: Decoder<unknown> = decoder({ kind: 'json' }, (value, context) => {
  const found = parsedJson['~decode'](value, context)
  return found === INVALID ? found : exactUndescribed(context, found)
})

/** Any JSON value as `JSON.parse` made it, for a decoder that looks for the source of its numbers by itself. */
export const parsedJson: Decoder<unknown> = decoder({ kind: 'json' }, (value, context) =>
  isShallow(value) ? value : invalid(context, 'too-deep', `at most ${MAX_DEPTH} levels`, value),
)

/** Whether a JSON value is nested at most {@link MAX_DEPTH} deep. Without recursion. */
export function isShallow(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    const next: unknown[] = []
    for (const item of level) {
      if (typeof item === 'object' && item !== null) for (const child of Object.values(item)) next.push(child)
    }
    if (next.length === 0) return true
    level = next
  }
  return false
}
