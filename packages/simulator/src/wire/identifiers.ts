/** Identifiers with the lengths and alphabets of published examples. */
import type { WireRandom } from './random.ts'

const UPPER_36 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const UPPER_HEX = '0123456789ABCDEF'
const DIGITS = '0123456789'

/** 26 characters, for example `SH7460PG7B03A4TQGWBBBA0P3B`. */
export const accountId = (random: WireRandom): string => random.text(UPPER_36, 26)

/** 25 characters, for orders and for the deliveries of a `request_id`. */
export const orderId = (random: WireRandom): string => random.text(UPPER_HEX, 25)

/** 8 characters, as on statements. */
export const accountNumber = (random: WireRandom): string =>
  random.text('ABCDEFGHJKLMNPQRSTUVWXYZ', 3) + random.text(DIGITS, 5)

/** Decimal digits without a leading zero. */
export const digits = (random: WireRandom, length: number): string =>
  random.text('123456789', 1) + random.text(DIGITS, length - 1)
