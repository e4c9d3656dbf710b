/**
 * The format of decimals.
 *
 * Length and exponent are bounded, so that every conversion of an accepted decimal is bounded too: `1E+999999999`
 * would be a gigabyte written out.
 */

declare const decimalBrand: unique symbol

/**
 * The exact text of a decimal, as received: `'684.85'`, `'0E-10'`, `'-1.5E+3'`. A string at run time, so it goes into
 * JSON, keys and the constructors of decimal libraries as it is. Never compare two of them with `===` or `<`:
 * `compareDecimals`.
 */
export type Decimal = string & { readonly [decimalBrand]: 'decimal' }

/** Most characters of a decimal. */
const MAX_DECIMAL_LENGTH = 512

// No part of it can match the same text in two ways, so it is linear; and in engines faster than a loop.
const DECIMAL = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/

/** Whether `text` is a decimal: digits, an optional sign, fraction, and exponent within 999. */
export function isDecimal(text: string): text is Decimal {
  return text.length <= MAX_DECIMAL_LENGTH && DECIMAL.test(text)
}
