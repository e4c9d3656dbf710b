/** A decoder of integers that may be strings on the wire. */

import { exactUndescribed, invalid } from '../decode-context.ts'
import { type Decoder, decoder } from '../decoder.ts'

/** Matches the digits of an integer. A leading zero is invalid, because such a value may be an identifier. */
const DIGITS = /^(?:0|-?[1-9]\d{0,15})$/

/**
 * Decodes an integer, or a string of its digits without leading zeros. An integer that a JavaScript number cannot represent exactly
 * is invalid: use `string` for identifiers.
 */
export const integerLike: Decoder<number> = decoder({ kind: 'integer-like' }, (value, context) => {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value
  if (Number.isSafeInteger(number) && exactUndescribed(context, value) === value) return number as number
  const code = typeof value === 'string' || typeof value === 'number' ? 'wrong-format' : 'wrong-type'
  return invalid(context, code, 'a whole number within 2^53, or its digits', value)
})
