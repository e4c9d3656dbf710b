/** An order's state as it is handed in again: the same checks as for a new one, so that nothing half is drawn from it. */
import { isRecord, type OptionFailure } from '@brokerwire/core/internal'
import { readInteger, readOneOf, requireText, shown } from '../checks.ts'
import { argumentFailure } from '../simulator-error.ts'
import type { OrderState } from './order.ts'

const STATUSES = ['SUBMITTED', 'PARTIAL_FILLED', 'FILLED', 'FAILED', 'CANCELLED'] as const

/**
 * @param account - Refuses accounts that are not there.
 * @throws SimulatorError `SIMULATOR_ARGUMENT_INVALID`
 */
export function readOrder(given: OrderState, account: (id: string) => string): OrderState {
  if (!isRecord(given)) throw argumentFailure('order', "an order's state", shown(given))
  const fail: OptionFailure = (name, expected, received) =>
    argumentFailure(`order.${name}`, expected, received)
  const units = (name: 'quantity' | 'filledQuantity' | 'filledPriceCents'): number => {
    if (given[name] === undefined) throw fail(name, 'a whole number', 'undefined')
    return readInteger(fail, name, given[name], { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 })
  }
  const { instrument } = given
  if (!isRecord(instrument)) throw fail('instrument', 'an object', shown(instrument))
  for (const name of ['symbol', 'shortName', 'instrumentId', 'category'] as const) {
    requireText(fail, `instrument.${name}`, instrument[name])
  }
  return {
    accountId: account(requireText(fail, 'accountId', given.accountId)),
    orderId: requireText(fail, 'orderId', given.orderId),
    clientOrderId: requireText(fail, 'clientOrderId', given.clientOrderId),
    instrument,
    side: readOneOf(fail, 'side', given.side, ['BUY', 'SELL']),
    orderType: readOneOf(fail, 'orderType', given.orderType, ['LIMIT', 'MARKET']),
    quantity: units('quantity'),
    filledQuantity: units('filledQuantity'),
    filledPriceCents: units('filledPriceCents'),
    status: readOneOf(fail, 'status', given.status, STATUSES),
  }
}
