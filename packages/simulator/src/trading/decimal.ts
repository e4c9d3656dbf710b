/**
 * Exact decimals: integers scaled by a power of ten. A quantity has eight places, money and prices have two (cents).
 * The wire has them as strings. No float is involved.
 */

/** Places of a quantity. */
export const QUANTITY_PLACES = 8
/** Places of money and of prices. */
export const CENT_PLACES = 2

const UNIT = 10n ** BigInt(QUANTITY_PLACES)
const DECIMAL = /^(-?)(\d{1,15})(?:\.(\d{1,12}))?$/

/** Parses a decimal. `undefined` if the text is no decimal, or has more places than `places`. */
export function parseDecimal(text: string, places: number): bigint | undefined {
  const [, sign, whole = '', fraction = ''] = DECIMAL.exec(text) ?? []
  if (whole === '') return undefined
  const digits = fraction.replace(/0+$/, '')
  if (digits.length > places) return undefined
  const value = BigInt(whole + digits.padEnd(places, '0'))
  return sign === '-' ? -value : value
}

/** Writes a decimal without trailing zeros beyond `minPlaces`. */
export function formatDecimal(value: bigint, places: number, minPlaces = 0): string {
  const digits = String(value < 0n ? -value : value).padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  const fraction = digits
    .slice(digits.length - places)
    .replace(/0+$/, '')
    .padEnd(minPlaces, '0')
  return `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** Writes an amount in cents, with two places. */
export function formatCents(cents: bigint | number): string {
  return formatDecimal(BigInt(cents), CENT_PLACES, CENT_PLACES)
}

/** Writes a quantity, without trailing zeros. */
export function formatQuantity(quantity: bigint): string {
  return formatDecimal(quantity, QUANTITY_PLACES)
}

/** The quantity of so many whole units. */
export function wholeUnits(units: number): bigint {
  return BigInt(units) * UNIT
}

/** Whether a quantity has no fraction. */
export function isWhole(quantity: bigint): boolean {
  return quantity % UNIT === 0n
}

/** Divides, rounding half away from zero. */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const isNegative = dividend < 0n !== divisor < 0n
  const top = dividend < 0n ? -dividend : dividend
  const bottom = divisor < 0n ? -divisor : divisor
  const rounded = (2n * top + bottom) / (2n * bottom)
  return isNegative ? -rounded : rounded
}

/** Value of a quantity at a price, in cents, rounded once. */
export function valueInCents(quantity: bigint, priceCents: bigint): bigint {
  return divideRounded(quantity * priceCents, UNIT)
}

/** Average price in ten-thousandths of the currency. Zero for a quantity of zero. */
export function averagePrice(valueCents: bigint, quantity: bigint): bigint {
  return quantity === 0n ? 0n : divideRounded(valueCents * 100n * UNIT, quantity)
}
