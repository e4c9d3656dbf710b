/**
 * Corporate actions. Each is an announcement with one or more options, which have payouts. All values are
 * invented.
 */

import { fromCents, isoDay } from './formats.ts'
import { randomDigits } from './identifiers.ts'
import type { Instrument } from './instruments.ts'
import type { ModulePayload, ModulePayloadInput } from './module-payload.ts'

/** Generates a dividend that is paid in cash or in shares, or a stock split. */
export function corporateAction({ random, market, nowMs }: ModulePayloadInput): ModulePayload {
  const instrument = random.pick(market.instruments)
  const kind = random.pick(['DIVIDEND', 'STOCK_SPLIT'] as const)
  const cents = random.integer(5, 400)
  return {
    event_id: `E${randomDigits(random, 9)}`,
    event_type: kind,
    event_version: String(nowMs),
    instrument_id: instrument.instrumentId,
    category: instrument.category,
    record_date: isoDay(nowMs, 10),
    ex_date: isoDay(nowMs, 10),
    payment_date: isoDay(nowMs, 24),
    from: identity(instrument),
    to:
      kind === 'DIVIDEND'
        ? [
            option('1', 'cash', 'true', [cash(1, cents, market.currency)]),
            option('2', 'stock', 'false', [shares(1, '0.0120000000')]),
          ]
        : [option('1', 'split', 'true', [shares(1, '2.0000000000'), cash(2, 0, market.currency)])],
  }
}

function identity(instrument: Instrument): Record<string, string> {
  const { symbol, cusip, isin, shortName, exchange } = instrument
  return { symbol, cusip, isin, name: shortName, exchange }
}

function option(
  number: string,
  description: string,
  isDefault: 'true' | 'false',
  payouts: readonly ModulePayload[],
): ModulePayload {
  return { option_number: number, description, default_option_flag: isDefault, payouts }
}

function cash(number: number, cents: number, currency: string): ModulePayload {
  return {
    type: 'CASH',
    pay_type: 'GROSS',
    payout_number: number,
    amount: fromCents(cents),
    currency,
    withholding_tax_rate: '0.30',
  }
}

function shares(number: number, ratio: string): ModulePayload {
  return {
    type: 'STOCK',
    pay_type: 'NET',
    payout_number: number,
    amount: ratio,
    currency: '',
    withholding_tax_rate: '0E-10',
  }
}
