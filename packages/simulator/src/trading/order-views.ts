/**
 * Formats orders and groups as the operations report them (packages/operations/OPERATIONS.md, group and order
 * in responses).
 */
import type { Region } from '@brokerwire/core/endpoints'
import { getFeeType } from './charges.ts'
import { getClientComboOrderId } from './decide-place.ts'
import { averagePrice, formatCents, formatDecimal, formatQuantity } from './decimal.ts'
import type { TradingOrder } from './order.ts'

type Json = Readonly<Record<string, unknown>>

/** Decimal places of an average price. */
const PRICE_PLACES = 4

/**
 * Returns the response to place, replace and cancel: the ids of a NORMAL order, or of the group of another
 * order.
 */
export function placedView(order: TradingOrder): Json {
  const comboId = getClientComboOrderId(order)
  if (comboId === undefined) return { client_order_id: order.clientOrderId, order_id: order.orderId }
  return { client_combo_order_id: comboId, combo_order_id: order.groupOrderId }
}

/**
 * Formats a group of orders.
 *
 * @param withCharges - Whether commission and fees are included. Only the operation `orders.get` returns
 * them.
 */
export function groupView(
  orders: readonly [TradingOrder, ...TradingOrder[]],
  { region, withCharges = false }: { readonly region: Region; readonly withCharges?: boolean },
): Json {
  const [first] = orders
  const comboId = getClientComboOrderId(first)
  return {
    combo_type: first.comboType,
    ...(comboId === undefined
      ? { client_order_id: first.clientOrderId }
      : {
          client_combo_order_id: comboId,
          ...(region === 'us' ? { combo_order_id: first.groupOrderId } : {}),
        }),
    orders: orders.map((order) => ({ ...orderView(order), ...(withCharges ? chargesView(order) : {}) })),
  }
}

function orderView(order: TradingOrder): Json {
  const { limitCents, stopCents, cashCents, filledAtMs } = order
  return {
    client_order_id: order.clientOrderId,
    order_id: order.orderId,
    symbol: order.instrument.symbol,
    instrument_type: 'EQUITY',
    side: order.side,
    status: order.status,
    order_type: order.orderType,
    time_in_force: order.timeInForce,
    entrust_type: order.entrustType,
    support_trading_session: order.session,
    total_quantity: formatQuantity(order.quantity),
    ...(cashCents === undefined ? {} : { total_cash_amount: formatCents(cashCents) }),
    filled_quantity: formatQuantity(order.filledQuantity),
    filled_price: averageText(order),
    ...(limitCents === undefined ? {} : { limit_price: formatCents(limitCents) }),
    ...(stopCents === undefined ? {} : { stop_price: formatCents(stopCents) }),
    ...order.otherFields,
    place_time: String(order.placedAtMs),
    place_time_at: new Date(order.placedAtMs).toISOString(),
    ...(filledAtMs === undefined
      ? {}
      : { filled_time: String(filledAtMs), filled_time_at: new Date(filledAtMs).toISOString() }),
  }
}

/** Formats the average price of the fills. */
export function averageText({ filledCents, filledQuantity }: TradingOrder): string {
  return formatDecimal(averagePrice(filledCents, filledQuantity), PRICE_PLACES, 2)
}

/** Formats the commission and the fees of an order. */
export function chargesView({ commissionCents, feeCents, instrument }: TradingOrder): Json {
  const commission = formatCents(commissionCents)
  const fee = formatCents(feeCents)
  return {
    commission: { actual_commission: commission, receivable_commission: commission },
    fees: [{ type: getFeeType(instrument), actual_value: fee, receivable_value: fee }],
  }
}
