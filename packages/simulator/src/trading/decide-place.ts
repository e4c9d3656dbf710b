/** Decides whether orders are accepted, and creates them. */
import type { Region } from '@brokerwire/core/endpoints'
import { DAY_MS } from '../durations.ts'
import { accountTotals, availableQuantity, type GetPrice, getReserve } from './account.ts'
import { QUANTITY_PLACES, valueInCents } from './decimal.ts'
import type { Calendar, MarketHours } from './market-hours.ts'
import { isChild, type TradingOrder } from './order.ts'
import type { GroupRequest, OrderRequest } from './order-request.ts'
import { bookAround } from './price-path.ts'
import { fieldRejection, orderRejection } from './rejection.ts'
import type { Change, TradingAccount } from './trading-account.ts'

/** The market at the time of a request. */
export interface MarketView {
  readonly nowMs: number
  /** The current step. */
  readonly step: number
  readonly hours: MarketHours
  readonly calendar: Calendar
  readonly region: Region
  readonly getPrice: GetPrice
}

/** Dependencies of a placement. */
export interface PlaceContext extends MarketView {
  readonly newId: () => string
  readonly submitDelayMs: number
  readonly maxOpenOrders: number
}

/** Maximum lifetime of a GTC order, in days. */
const GTC_DAYS: Readonly<Record<Region, number>> = { us: 60, hk: 90 }

/**
 * Creates the orders of a group. The orders are PENDING until the engine submits them.
 *
 * @throws TradingRejection
 */
export function decidePlace(account: TradingAccount, request: GroupRequest, context: PlaceContext): Change {
  const { orders } = request
  for (const order of orders) {
    if (account.find(order.clientOrderId) !== undefined) {
      throw orderRejection(
        'TRADE_PLACE_ORDER_REPEAT',
        `client_order_id ${order.clientOrderId} is already used`,
      )
    }
    requireHours(order, context)
  }
  if (account.openCount + orders.length > context.maxOpenOrders) {
    throw orderRejection(
      'OPEN_ORDER_LIMIT',
      `an account must not have more than ${context.maxOpenOrders} open orders`,
    )
  }
  const isGroup = orders[0]?.comboType !== 'NORMAL'
  const clientComboOrderId = request.clientComboOrderId ?? context.newId()
  const groupId = isGroup ? groupKey(clientComboOrderId) : ''
  if (isGroup && account.group(groupId).length > 0) {
    throw orderRejection(
      'TRADE_PLACE_ORDER_REPEAT',
      `client_combo_order_id ${clientComboOrderId} is already used`,
    )
  }
  const groupOrderId = isGroup ? context.newId() : ''
  const created = orders.map((order) => createOrder(account, order, { groupId, groupOrderId }, context))
  for (const order of created) requireMeans(account, order, context)
  return { accountId: account.accountId, orders: created, events: [] }
}

/** Returns the group id of a combo. The group id of a NORMAL order never has this form. */
const groupKey = (clientComboOrderId: string): string => `combo ${clientComboOrderId}`

/** Returns the `client_combo_order_id` of an order's group. `undefined` for a NORMAL order. */
export function getClientComboOrderId({ groupId, comboType }: TradingOrder): string | undefined {
  return comboType === 'NORMAL' ? undefined : groupId.slice(groupKey('').length)
}

function requireHours({ session, timeInForce }: OrderRequest, context: MarketView): void {
  const { calendar, hours, nowMs } = context
  if (session === 'NIGHT' && hours !== 'always') {
    throw orderRejection('NO_NIGHT_TRADING_TIME', 'the night session is not open')
  }
  if (calendar.isOpen(hours, nowMs) || timeInForce === 'GTC' || timeInForce === 'GTD') return
  throw orderRejection('NO_TRADING_TIME', `the market is closed: a ${timeInForce} order cannot be placed`)
}

function createOrder(
  account: TradingAccount,
  request: OrderRequest,
  group: Pick<TradingOrder, 'groupId' | 'groupOrderId'>,
  context: PlaceContext,
): TradingOrder {
  const { nowMs, step, newId, submitDelayMs } = context
  const { clientOrderId, timeInForce, otherFields } = request
  return {
    ...request,
    ...group,
    groupId: group.groupId === '' ? `order ${clientOrderId}` : group.groupId,
    quantity: request.quantity ?? quantityForCash(request, context),
    accountId: account.accountId,
    orderId: newId(),
    status: 'PENDING',
    isTriggered: false,
    filledQuantity: 0n,
    filledCents: 0n,
    commissionCents: 0n,
    feeCents: 0n,
    placedAtMs: nowMs,
    filledAtMs: undefined,
    submitAtMs: nowMs + submitDelayMs,
    firstStep: timeInForce === 'IOC' ? step : step + 1,
    expiresAtMs: getExpiry(timeInForce, otherFields.expire_date, context),
  }
}

/** Decimal places of the quantity of an order by amount. */
const AMOUNT_PLACES = 5
const AMOUNT_ROUNDING = 10n ** BigInt(QUANTITY_PLACES - AMOUNT_PLACES)
const UNIT = 10n ** BigInt(QUANTITY_PLACES)

/** Returns the quantity that an amount of cash buys or sells now, rounded down to five decimal places. */
function quantityForCash(
  { instrument, cashCents = 0n, side }: OrderRequest,
  { getPrice }: MarketView,
): bigint {
  const book = bookAround(getPrice(instrument))
  const priceCents = BigInt(side === 'BUY' ? book.askCents : book.bidCents)
  const quantity = ((cashCents * UNIT) / priceCents / AMOUNT_ROUNDING) * AMOUNT_ROUNDING
  if (quantity > 0n) return quantity
  throw orderRejection('PARAM_ERR', 'total_cash_amount must be enough for 0.00001 of a share')
}

/** Returns the time at which an order with this time in force expires. */
export function getExpiry(
  timeInForce: string,
  expireDate: string | undefined,
  { calendar, hours, nowMs, region }: MarketView,
): number {
  if (timeInForce === 'GTC') return nowMs + GTC_DAYS[region] * DAY_MS
  if (timeInForce === 'GTD') {
    const endMs = Date.parse(expireDate ?? '') + DAY_MS
    if (endMs <= nowMs) throw fieldRejection('expire_date', 'today or later')
    return endMs
  }
  return calendar.dayEndMs(hours, nowMs)
}

/**
 * Checks that the account has the money or the units for an order. A STOP_PROFIT or STOP_LOSS is not checked
 * here, but when it is filled.
 */
export function requireMeans(account: TradingAccount, order: TradingOrder, context: MarketView): void {
  const { instrument, side, quantity, filledQuantity } = order
  if (isChild(order)) return
  requireStop(order, context)
  const others = [...account.openOrders].filter((open) => open.orderId !== order.orderId)
  if (side === 'SELL') {
    const available = availableQuantity(account.holdings.positions.get(instrument.symbol), others)
    if (quantity - filledQuantity <= available) return
    throw orderRejection(
      'SELL_QTY_EXCEED_AVAILABLE_QTY',
      'quantity must not exceed what can be sold of the position',
    )
  }
  if (side === 'SHORT' && !account.isMargin) {
    throw orderRejection('TRADE_ORDER_NO_PERMISSION', 'side SHORT needs a margin account')
  }
  const { buyingPowerCents } = accountTotals(account.holdings, others, context.getPrice, account.isMargin)
  if (getReserve(order, context.getPrice) <= buyingPowerCents) return
  throw orderRejection(
    'ORDER_BUYING_POWER_NOT_ENOUGH',
    'the account must have enough buying power for the order',
  )
}

function requireStop(
  { side, stopCents, instrument, orderType }: TradingOrder,
  { getPrice }: MarketView,
): void {
  if (stopCents === undefined || side === 'BUY' || !orderType.startsWith('STOP_LOSS')) return
  if (stopCents < getPrice(instrument)) return
  throw orderRejection(
    'STOP_PRICE_MUST_BE_LESS_THAN_MARKET_PRICE',
    'stop_price must be below the market price',
  )
}

/** Estimates the cost of an order, in cents. */
export function estimatedCost(request: OrderRequest, context: MarketView): bigint {
  if (request.cashCents !== undefined) return request.cashCents
  const book = bookAround(context.getPrice(request.instrument))
  const priceCents = request.side === 'BUY' ? book.askCents : book.bidCents
  return valueInCents(request.quantity ?? 0n, BigInt(request.limitCents ?? priceCents))
}
