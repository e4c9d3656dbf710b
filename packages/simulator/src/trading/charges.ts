/** Calculates commission and fees. The rates, and the name of the fee in Hong Kong, are invented. */
import type { Instrument } from '../wire/instruments.ts'
import { getMarketName } from './instruments.ts'

/** Charges of one order, in cents. */
export interface Charges {
  readonly commissionCents: bigint
  readonly feeCents: bigint
}

const COMMISSION_PER_MILLION = 300n
const FEE_PER_MILLION = 30n

/** Returns the charges for the value of all fills of an order. They are zero before the first fill. */
export function chargesFor(valueCents: bigint): Charges {
  return {
    commissionCents: share(valueCents, COMMISSION_PER_MILLION),
    feeCents: share(valueCents, FEE_PER_MILLION),
  }
}

/** Returns a part of a value, rounded up to a cent. */
function share(valueCents: bigint, perMillion: bigint): bigint {
  return (valueCents * perMillion + 999_999n) / 1_000_000n
}

/** Returns the value of `type` in the list of fees. */
export function getFeeType(instrument: Instrument): string {
  return getMarketName(instrument) === 'US' ? 'FINRA_CAT_REGULATORY_FEE' : 'TRANSACTION_LEVY'
}
