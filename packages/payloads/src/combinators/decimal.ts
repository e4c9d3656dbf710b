/** A decoder of decimals, which stay exact strings. */
import type { Decoder } from '../decoder.ts'
import { type Decimal, isDecimal } from '../values/decimal-text.ts'
import { stringOfFormat } from './string.ts'

/** Decodes a decimal of at most 512 characters with an exponent within ±999. A JSON number becomes its source text. */
export const decimal: Decoder<Decimal> = stringOfFormat('decimal', 'a decimal', isDecimal)
