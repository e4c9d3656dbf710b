/** A whole number that comes as a number in one place and as text in another. */
import { type Decoder, decoder } from '../decoder.ts'
import { unreadable } from '../reading.ts'

/** A whole number, or its digits as text. Beyond 2^53 it is an error: use {@link text} for identifiers. */
export const integerLike: Decoder<number> = decoder({ kind: 'integer-like' }, (value, reading) => {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value
  if (Number.isSafeInteger(number)) return number as number
  const code = typeof value === 'string' || typeof value === 'number' ? 'wrong-format' : 'wrong-type'
  return unreadable(reading, code, 'a whole number within 2^53, or its digits', value)
})
