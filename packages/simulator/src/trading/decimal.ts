/**
 * Exact decimals as integers that are scaled by a power of ten. A quantity has eight decimal places; money
 * and prices have two (cents). On the wire, decimals are strings. No floating-point numbers are used.
 */

/** Decimal places of a quantity. */
export const QUANTITY_PLACES = 8
/** Decimal places of money and of prices. */
export const CENT_PLACES = 2

const UNIT = 10n ** BigInt(QUANTITY_PLACES)
const DECIMAL = /^(-?)(\d{1,15})(?:\.(\d{1,12}))?$/

/**
 * Parses a decimal. Returns `undefined` if the string is not a decimal, or has more than `places` decimal
 * places.
 */
export function parseDecimal(text: string, places: number): bigint | undefined {
  const [, sign, whole = '', fraction = ''] = DECIMAL.exec(text) ?? []
  if (whole === '') return undefined
  const digits = fraction.replace(/0+$/, '')
  if (digits.length > places) return undefined
  const value = BigInt(whole + digits.padEnd(places, '0'))
  return sign === '-' ? -value : value
}

/** Formats a decimal. Trailing zeros after `minPlaces` decimal places are removed. */
export function formatDecimal(value: bigint, places: number, minPlaces = 0): string {
  const digits = String(value < 0n ? -value : value).padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  const fraction = digits
    .slice(digits.length - places)
    .replace(/0+$/, '')
    .padEnd(minPlaces, '0')
  return `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** Formats an amount in cents, with two decimal places. */
export function formatCents(cents: bigint | number): string {
  return formatDecimal(BigInt(cents), CENT_PLACES, CENT_PLACES)
}

/** Formats a quantity, without trailing zeros. */
export function formatQuantity(quantity: bigint): string {
  return formatDecimal(quantity, QUANTITY_PLACES)
}

/** Converts a number of whole units to a quantity. */
export function wholeUnits(units: number): bigint {
  return BigInt(units) * UNIT
}

/** Whether a quantity has no fraction. */
export function isWhole(quantity: bigint): boolean {
  return quantity % UNIT === 0n
}

/** Divides and rounds to the nearest integer. A half is rounded away from zero. */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const isNegative = dividend < 0n !== divisor < 0n
  const top = dividend < 0n ? -dividend : dividend
  const bottom = divisor < 0n ? -divisor : divisor
  const rounded = (2n * top + bottom) / (2n * bottom)
  return isNegative ? -rounded : rounded
}

/** Returns the value of a quantity at a price, in cents. It is rounded only once. */
export function valueInCents(quantity: bigint, priceCents: bigint): bigint {
  return divideRounded(quantity * priceCents, UNIT)
}

/** Returns the average price in ten-thousandths of the currency. It is zero for a quantity of zero. */
export function averagePrice(valueCents: bigint, quantity: bigint): bigint {
  return quantity === 0n ? 0n : divideRounded(valueCents * 100n * UNIT, quantity)
}
