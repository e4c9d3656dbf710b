/** A decoder of booleans that may be strings on the wire. */

import { invalid } from '../decode-context.ts'
import { type Decoder, decoder } from '../decoder.ts'

/** Decodes `true` or `false`, or the strings `'true'` or `'false'` in upper or lower case. */
export const booleanLike: Decoder<boolean> = decoder({ kind: 'boolean-like' }, (value, context) => {
  if (typeof value === 'boolean') return value
  if (typeof value === 'string' && value.length <= 5) {
    const name = value.toLowerCase()
    if (name === 'true' || name === 'false') return name === 'true'
  }
  const code = typeof value === 'string' ? 'wrong-format' : 'wrong-type'
  return invalid(context, code, "true, false, 'true' or 'false'", value)
})
