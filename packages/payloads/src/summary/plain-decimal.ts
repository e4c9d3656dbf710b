/** A decimal for a person: without exponent and trailing zeros. */
import { decimalToPlain } from '../values/decimal.ts'
import type { Decimal } from '../values/decimal-text.ts'

/** `187.25` for `187.2500`, `0` for `0E-10`, `-` for no decimal. */
export function plainDecimal(value: Decimal | undefined): string {
  if (value === undefined) return '-'
  const text = decimalToPlain(value)
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}
