/** Decides how an order is cancelled or replaced, or rejects the request. */

import { getExpiry, type MarketView, requireMeans } from './decide-place.ts'
import { endGroup } from './decide-step.ts'
import { applyAction, isChild, isFinalStatus, type TradingOrder } from './order.ts'
import { getPriceFields, type ReplaceRequest, requireQuantity } from './order-request.ts'
import { fieldRejection, orderRejection } from './rejection.ts'
import type { Change, TradingAccount } from './trading-account.ts'

/** @throws TradingRejection `OPENAPI_ORDER_NOT_FOUND` */
function requireOrder(account: TradingAccount, clientOrderId: string): TradingOrder {
  const order = account.find(clientOrderId)
  if (order !== undefined) return order
  throw orderRejection('ORDER_NOT_FOUND', `no order has client_order_id ${clientOrderId}`)
}

/**
 * Cancels an order. If it is the MASTER of a group, the whole group is cancelled.
 *
 * @throws TradingRejection
 */
export function decideCancel(account: TradingAccount, clientOrderId: string, view: MarketView): Change {
  const order = requireOrder(account, clientOrderId)
  if (isChild(order) && order.status === 'CANCELLED') {
    throw orderRejection('ORDER_NOT_FOUND', 'the group of the order has ended')
  }
  if (isFinalStatus(order.status)) {
    throw orderRejection('ORDER_CAN_NOT_BE_CANCEL', `an order in status ${order.status} cannot be cancelled`)
  }
  if (order.status === 'PENDING' && view.nowMs < order.submitAtMs) {
    throw orderRejection(
      'ORDER_CAN_NOT_BE_CANCEL_FOR_PENDING_SUBMIT',
      'the order is not at the market yet: try again shortly',
    )
  }
  const cancelled = applyAction(order, 'cancel') ?? order
  const ended = order.comboType === 'MASTER' ? endGroup(account, cancelled) : []
  const orders = [cancelled, ...ended]
  return {
    accountId: account.accountId,
    orders,
    events: orders.map((item) => ({ scene: 'CANCEL_SUCCESS', order: item })),
  }
}

const REPLACEABLE_TIMES: ReadonlySet<string> = new Set(['DAY', 'GTC'])

/**
 * Replaces the quantity, the prices and the time in force of an order. The status of the order does not
 * change.
 *
 * @throws TradingRejection
 */
export function decideReplace(account: TradingAccount, request: ReplaceRequest, view: MarketView): Change {
  const order = requireOrder(account, request.clientOrderId)
  requireReplaceable(order, request, view)
  const has = getPriceFields(order.orderType)
  const quantity = request.quantity ?? order.quantity
  const timeInForce = request.timeInForce ?? order.timeInForce
  if (quantity <= order.filledQuantity) throw fieldRejection('quantity', 'more than the filled quantity')
  requireQuantity(quantity, { ...order, timeInForce }, '')
  const stopCents = has.stop ? (request.stopCents ?? order.stopCents) : undefined
  const replaced = applyAction(order, 'replace', {
    quantity,
    limitCents: has.limit ? (request.limitCents ?? order.limitCents) : undefined,
    stopCents,
    isTriggered: order.isTriggered && stopCents === order.stopCents,
    timeInForce,
    expiresAtMs:
      timeInForce === order.timeInForce
        ? order.expiresAtMs
        : getExpiry(timeInForce, undefined, { ...view, nowMs: order.placedAtMs }),
    firstStep: view.step + 1,
  })
  const changed = replaced ?? order
  requireMeans(account, changed, view)
  return {
    accountId: account.accountId,
    orders: [changed],
    events: [{ scene: 'MODIFY_SUCCESS', order: changed }],
  }
}

function requireReplaceable(order: TradingOrder, request: ReplaceRequest, { nowMs }: MarketView): void {
  const rejectReplace = (why: string) => orderRejection('ORDER_CANT_NOT_BE_REPLACE', why)
  if (isFinalStatus(order.status))
    throw rejectReplace(`an order in status ${order.status} cannot be replaced`)
  if (order.comboType !== 'NORMAL')
    throw rejectReplace(`an order with combo_type ${order.comboType} cannot be replaced`)
  if (order.entrustType === 'AMOUNT') throw rejectReplace('an order by amount cannot be replaced')
  if (order.status === 'PENDING' && nowMs < order.submitAtMs) {
    throw orderRejection('ORDER_CANNOT_OPERATE', 'the order is not at the market yet: try again shortly')
  }
  if ((request.orderType ?? order.orderType) !== order.orderType)
    throw rejectReplace('order_type cannot be replaced')
  const { timeInForce = order.timeInForce } = request
  const isTimeAllowed = timeInForce === order.timeInForce || REPLACEABLE_TIMES.has(timeInForce)
  if (!isTimeAllowed) throw fieldRejection('time_in_force', 'DAY or GTC')
}
