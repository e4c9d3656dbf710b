/** Formatting of decimals for people, without exponent and trailing zeros. */
import { decimalToPlain } from '../values/decimal.ts'
import type { Decimal } from '../values/decimal-text.ts'

/** Formats a decimal: `187.2500` as `187.25`, `0E-10` as `0`, `undefined` as `-`. */
export function plainDecimal(value: Decimal | undefined): string {
  if (value === undefined) return '-'
  const text = decimalToPlain(value)
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}
