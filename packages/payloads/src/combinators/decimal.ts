/** A decimal, kept as exact text. */
import type { Decoder } from '../decoder.ts'
import { type Decimal, isDecimal } from '../values/decimal-text.ts'
import { stringOfFormat } from './string.ts'

/** A decimal of at most 512 characters, its exponent within 999. A JSON number is taken as its exact source text. */
export const decimal: Decoder<Decimal> = stringOfFormat('decimal', 'a decimal', isDecimal)
