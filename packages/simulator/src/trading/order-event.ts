/** Formats the events of orders, with decimals as in published examples. */

import { isoWithOffset } from '../wire/formats.ts'
import type { OrderPayloadFields, OrderStatus } from '../wire/order.ts'
import { formatDecimal, QUANTITY_PLACES } from './decimal.ts'
import { averageText, chargesView } from './order-views.ts'
import type { OrderEvent } from './trading-account.ts'

/** Zero in the format of published examples. */
const ZERO = '0E-10'

/** @param offsetMinutes - Time zone of the timestamps, in minutes east of UTC. */
export function toEventFields(
  { scene, order }: OrderEvent,
  offsetMinutes: number,
): Omit<OrderPayloadFields, 'requestId'> {
  const { filledQuantity, filledAtMs } = order
  const isFill = scene === 'FILLED' || scene === 'FINAL_FILLED'
  const { commission, ...charges } = chargesView(order)
  return {
    accountId: order.accountId,
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    instrument: order.instrument,
    status: getEventStatus({ scene, order }),
    scene,
    side: order.side,
    orderType: order.orderType,
    quantity: formatDecimal(order.quantity * 100n, QUANTITY_PLACES + 2, QUANTITY_PLACES + 2),
    filledQuantity: filledQuantity === 0n ? ZERO : formatDecimal(filledQuantity, QUANTITY_PLACES, 1),
    filledPrice: filledQuantity === 0n ? ZERO : averageText(order),
    filledTime: isFill && filledAtMs !== undefined ? isoWithOffset(filledAtMs, offsetMinutes) : undefined,
    charges: scene === 'PLACE_FAILED' ? {} : { ...(commission as object), ...charges },
  }
}

/** The documents show SUBMITTED for a replaced order, even if it is partly filled. */
function getEventStatus({ scene, order }: OrderEvent): OrderStatus {
  return scene === 'MODIFY_SUCCESS' || order.status === 'PENDING' ? 'SUBMITTED' : order.status
}
