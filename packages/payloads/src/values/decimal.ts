/** Operations on exact decimals, without floating point and rounding. */
import { integer, wrongText } from '@brokerwire/core/internal'
import { notConvertible, optionInvalid } from '../payloads-error.ts'
import { type Decimal, isDecimal } from './decimal-text.ts'

/** The parts of a decimal. Its absolute value is `digits` × 10^-`scale`. */
interface Parts {
  readonly negative: boolean
  readonly digits: string
  readonly scale: number
}

const MAX_SCALE = 2_048

/**
 * Parses a decimal.
 *
 * @returns The decimal, or `undefined` if the string is not a decimal, has more than 512 characters, or an exponent beyond ±999.
 *
 * @example
 * ```ts
 * import { parseDecimal } from '@brokerwire/payloads'
 *
 * console.log(parseDecimal('12.50'))
 * ```
 */
export function parseDecimal(text: string): Decimal | undefined {
  return typeof text === 'string' && isDecimal(text) ? text : undefined
}

/**
 * Converts a decimal to its canonical plain form: no exponent, no plus sign, no unnecessary leading zeros, no negative zero. The
 * number of decimal places stays: `0E-10` is `0.0000000000`, `-1.5E+3` is `-1500`.
 *
 * @example
 * ```ts
 * import { type Decimal, decimalToPlain } from '@brokerwire/payloads'
 *
 * console.log(decimalToPlain('1e3' as Decimal)) // 1000
 * ```
 */
export function decimalToPlain(value: Decimal): string {
  const { negative, digits, scale } = parseParts(value)
  const padded = scale < 0 ? digits + '0'.repeat(-scale) : digits.padStart(scale + 1, '0')
  const point = padded.length - Math.max(scale, 0)
  const whole = padded.slice(0, point).replace(/^0+(?=\d)/, '')
  const plain = scale > 0 ? `${whole}.${padded.slice(point)}` : whole
  return negative && /[1-9]/.test(digits) ? `-${plain}` : plain
}

/**
 * Compares two decimals numerically: -1 if `a` is less, 1 if it is greater, 0 if both are equal, such as `1.0` and `1`.
 *
 * @example
 * ```ts
 * import { compareDecimals, type Decimal } from '@brokerwire/payloads'
 *
 * console.log(compareDecimals('1.10' as Decimal, '1.1' as Decimal)) // 0
 * ```
 */
export function compareDecimals(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const left = parseParts(a)
  const right = parseParts(b)
  const scale = Math.max(left.scale, right.scale)
  const difference = scaled(left, scale) - scaled(right, scale)
  if (difference === 0n) return 0
  return difference < 0n ? -1 : 1
}

/**
 * Converts a decimal to an integer number of 10^-`scale`: with scale 2, `684.85` is `68485n`.
 *
 * @param scale - Number of decimal places, from 0 to 2048.
 * @throws PayloadsError `PAYLOAD_NOT_CONVERTIBLE` if digits would be lost, `PAYLOAD_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { type Decimal, decimalToBigInt } from '@brokerwire/payloads'
 *
 * console.log(decimalToBigInt('1.25' as Decimal, 2)) // 125n
 * ```
 */
export function decimalToBigInt(value: Decimal, scale: number): bigint {
  const places = validateScale(scale)
  const parts = parseParts(value)
  if (parts.scale <= places) return scaled(parts, places)
  const dropped = 10n ** BigInt(parts.scale - places)
  const exact = scaled(parts, parts.scale)
  if (exact % dropped === 0n) return exact / dropped
  const expected = `a decimal with at most ${places} decimal places`
  throw notConvertible('value', expected, `. Choose a larger scale than ${places}`)
}

/**
 * Converts an integer number of 10^-`scale` to a decimal: with scale 2, `68485n` is `684.85`.
 *
 * @param scale - Number of decimal places, from 0 to 2048.
 * @throws PayloadsError `PAYLOAD_OPTION_INVALID`, also if the result has more than 512 characters.
 *
 * @example
 * ```ts
 * import { decimalFromBigInt } from '@brokerwire/payloads'
 *
 * console.log(decimalFromBigInt(125n, 2)) // 1.25
 * ```
 */
export function decimalFromBigInt(value: bigint, scale: number): Decimal {
  const places = validateScale(scale)
  const isNegative = value < 0n
  const digits = (isNegative ? -value : value).toString().padStart(places + 1, '0')
  const point = digits.length - places
  const sign = isNegative ? '-' : ''
  const fraction = places > 0 ? `.${digits.slice(point)}` : ''
  const text = `${sign}${digits.slice(0, point)}${fraction}`
  if (isDecimal(text)) return text
  throw optionInvalid('value', 'a decimal of at most 512 characters', `one of ${text.length}`)
}

/**
 * Converts a decimal to another type. `make` gets the plain form of the decimal.
 *
 * @example `decimalTo(event.qty, (text) => new Big(text))`
 */
export function decimalTo<T>(value: Decimal, make: (plain: string) => T): T {
  return make(decimalToPlain(value))
}

function parseParts(value: Decimal): Parts {
  const match =
    typeof value === 'string' && isDecimal(value) ? /^([+-]?)(\d+)\.?(\d*)(?:e(.+))?$/i.exec(value) : null
  if (match === null) throw wrongText(optionInvalid, 'value', 'a decimal such as "12.50"', value)
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  return { negative: sign === '-', digits: whole + fraction, scale: fraction.length - Number(exponent) }
}

/**
 * Returns a decimal as an integer number of 10^-`target`. `target` must not be less than the scale of the
 * parts.
 */
function scaled({ negative, digits, scale }: Parts, target: number): bigint {
  const size = BigInt(digits) * 10n ** BigInt(target - scale)
  return negative ? -size : size
}

function validateScale(scale: number): number {
  return integer({ min: 0, max: MAX_SCALE, default: 0 })(scale, 'scale', optionInvalid)
}
