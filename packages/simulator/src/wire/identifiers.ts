/** Identifiers with the lengths and alphabets of published examples. */
import type { WireRandom } from './random.ts'

const UPPER_36 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const UPPER_HEX = '0123456789ABCDEF'
const DIGITS = '0123456789'

/** Generates an account id of 26 characters, for example `SH7460PG7B03A4TQGWBBBA0P3B`. */
export const randomAccountId = (random: WireRandom): string => random.string(UPPER_36, 26)

/** Generates an id of 25 characters, for an order or for a `request_id`. */
export const randomOrderId = (random: WireRandom): string => random.string(UPPER_HEX, 25)

/** Generates an account number of 8 characters, as on statements. */
export const randomAccountNumber = (random: WireRandom): string =>
  random.string('ABCDEFGHJKLMNPQRSTUVWXYZ', 3) + random.string(DIGITS, 5)

/** Generates decimal digits without a leading zero. */
export const randomDigits = (random: WireRandom, length: number): string =>
  random.string('123456789', 1) + random.string(DIGITS, length - 1)
