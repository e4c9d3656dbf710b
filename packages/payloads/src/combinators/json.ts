/** A decoder of any JSON value. */

import { exactUndescribed, INVALID, invalid } from '../decode-context.ts'
import { type Decoder, decoder } from '../decoder.ts'

/** Maximum nesting. A deeper value could overflow the stack in a caller's `JSON.stringify`. */
const MAX_DEPTH = 256

/** Decodes any JSON value. A number that a JavaScript number cannot represent is a `NumberText`. */
export const json: Decoder<unknown> = decoder({ kind: 'json' }, (value, context) => {
  const found = parsedJson['~decode'](value, context)
  return found === INVALID ? found : exactUndescribed(context, found)
})

/** Decodes any JSON value without changes, for a decoder that replaces inexact numbers itself. */
export const parsedJson: Decoder<unknown> = decoder({ kind: 'json' }, (value, context) =>
  isShallow(value) ? value : invalid(context, 'too-deep', `at most ${MAX_DEPTH} levels`, value),
)

/** Whether a JSON value is nested at most {@link MAX_DEPTH} deep. The check uses no recursion. */
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
