/**
 * The format of decimals. Length and exponent are limited, so that every conversion of a valid decimal takes
 * limited memory: `1E+999999999` without exponent would take a gigabyte.
 */

declare const decimalBrand: unique symbol

/**
 * A decimal as an exact string, as received: `'684.85'`, `'0E-10'`, `'-1.5E+3'`. At run time it is a string, which JSON and the
 * constructors of decimal libraries accept. Do not compare decimals with `===` or `<`; use `compareDecimals()`.
 */
export type Decimal = string & { readonly [decimalBrand]: 'decimal' }

/** Maximum number of characters of a decimal. */
const MAX_DECIMAL_LENGTH = 512

// The pattern takes linear time, because no part can match the same text in two ways. It is faster than a
// loop.
const DECIMAL = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/

/** Whether `text` is a decimal: digits, with an optional sign, fraction, and exponent within ±999. */
export function isDecimal(text: string): text is Decimal {
  return text.length <= MAX_DECIMAL_LENGTH && DECIMAL.test(text)
}
