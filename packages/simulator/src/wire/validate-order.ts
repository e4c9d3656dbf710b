/** Validates an order state that the caller passed. */
import { integer, isRecord, type OptionFailure, oneOf, received, string } from '@brokerwire/core/internal'
import { argumentFailure } from '../simulator-error.ts'
import type { OrderState } from './order.ts'

const STATUSES = ['SUBMITTED', 'PARTIAL_FILLED', 'FILLED', 'FAILED', 'CANCELLED'] as const

/**
 * @param account - Returns the id of an account, or throws if the account does not exist.
 * @throws SimulatorError `SIMULATOR_ARGUMENT_INVALID`
 */
export function validateOrder(given: OrderState, account: (id: string) => string): OrderState {
  if (!isRecord(given)) throw argumentFailure('order', "an order's state", received(given))
  const fail: OptionFailure = (name, expected, received) =>
    argumentFailure(`order.${name}`, expected, received)
  const units = (name: 'quantity' | 'filledQuantity' | 'filledPriceCents'): number => {
    if (given[name] === undefined) throw fail(name, 'a whole number', 'undefined')
    return integer({ min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 })(given[name], name, fail)
  }
  const { instrument } = given
  if (!isRecord(instrument)) throw fail('instrument', 'an object', received(instrument))
  for (const name of ['symbol', 'shortName', 'instrumentId', 'category'] as const) {
    string()(instrument[name], `instrument.${name}`, fail)
  }
  return {
    accountId: account(string()(given.accountId, 'accountId', fail)),
    orderId: string()(given.orderId, 'orderId', fail),
    clientOrderId: string()(given.clientOrderId, 'clientOrderId', fail),
    instrument,
    side: oneOf(['BUY', 'SELL'])(given.side, 'side', fail),
    orderType: oneOf(['LIMIT', 'MARKET'])(given.orderType, 'orderType', fail),
    quantity: units('quantity'),
    filledQuantity: units('filledQuantity'),
    filledPriceCents: units('filledPriceCents'),
    status: oneOf(STATUSES)(given.status, 'status', fail),
  }
}
