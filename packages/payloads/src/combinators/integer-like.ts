/** A whole number that comes as a number in one place and as text in another. */

import { exactUndescribed, invalid } from '../decode-context.ts'
import { type Decoder, decoder } from '../decoder.ts'

/** Digits that say the number and nothing else: a leading zero may mean an identifier. */
const DIGITS = /^(?:0|-?[1-9]\d{0,15})$/

/**
 * A whole number, or its digits as text without leading zeros. Beyond 2^53, and with digits that a number does not hold,
 * it is an error: use {@link text} for identifiers.
 */
export const integerLike: Decoder<number> = decoder({ kind: 'integer-like' }, (value, context) => {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value
  if (Number.isSafeInteger(number) && exactUndescribed(context, value) === value) return number as number
  const code = typeof value === 'string' || typeof value === 'number' ? 'wrong-format' : 'wrong-type'
  return invalid(context, code, 'a whole number within 2^53, or its digits', value)
})
