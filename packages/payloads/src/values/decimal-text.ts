/**
 * Which texts are decimals.
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
export const MAX_DECIMAL_LENGTH = 512
/** Largest exponent, either way. */
export const MAX_DECIMAL_EXPONENT = 512

const POINT = 46
const PLUS = 43
const MINUS = 45
const LOWER_E = 101

/** Whether `text` is a decimal: digits, an optional sign, fraction and exponent, nothing else. */
export function isDecimal(text: string): text is Decimal {
  const end = text.length
  if (end > MAX_DECIMAL_LENGTH) return false
  const first = text.charCodeAt(0)
  const start = first === MINUS || first === PLUS ? 1 : 0
  let at = afterDigits(text, start)
  if (at === start) return false
  if (text.charCodeAt(at) === POINT) {
    const fraction = at + 1
    at = afterDigits(text, fraction)
    if (at === fraction) return false
  }
  return at === end || isExponent(text, at)
}

function afterDigits(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    // Not a digit, or NaN past the end.
    if (!(code >= 48 && code <= 57)) return at
    at += 1
  }
}

function isExponent(text: string, from: number): boolean {
  if ((text.charCodeAt(from) | 32) !== LOWER_E) return false
  const sign = text.charCodeAt(from + 1)
  const start = sign === MINUS || sign === PLUS ? from + 2 : from + 1
  const at = afterDigits(text, start)
  return at > start && at === text.length && Number(text.slice(start)) <= MAX_DECIMAL_EXPONENT
}
