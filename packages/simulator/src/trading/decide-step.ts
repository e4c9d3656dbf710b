/**
 * Decides how a step of the market changes one order: the order is submitted, triggered, filled, rejected, or
 * expires.
 */
import { accountTotals, applyFill } from './account.ts'
import { chargesFor } from './charges.ts'
import type { MarketView } from './decide-place.ts'
import { valueInCents } from './decimal.ts'
import { getLotSize } from './instruments.ts'
import { fillPrice, fillQuantity, triggers } from './matching.ts'
import { applyAction, isChild, isFinalStatus, isWorking, openQuantity, type TradingOrder } from './order.ts'
import type { Book } from './price-path.ts'
import type { Change, OrderEvent, TradingAccount } from './trading-account.ts'

/** Dependencies of a step. */
export interface StepContext extends MarketView {
  readonly newId: () => string
  /** Part of an order's whole quantity that the step fills, in percent. */
  readonly percent: number
  readonly book: Book
}

/** Whether a PENDING child waits for its MASTER to be filled. */
export function isWaiting(account: TradingAccount, order: TradingOrder): boolean {
  if (!isChild(order)) return false
  const master = account.group(order.groupId).find(({ comboType }) => comboType === 'MASTER')
  return master !== undefined && master.status !== 'FILLED'
}

/**
 * Submits a PENDING order to the market. The scene `PLACED` of the event is invented, because the documents
 * have no scene type for it.
 */
export function decideSubmit(account: TradingAccount, order: TradingOrder, { step }: MarketView): Change {
  const firstStep = order.timeInForce === 'IOC' ? step : Math.max(order.firstStep, step + 1)
  const submitted = applyAction(order, 'submit', { firstStep }) ?? order
  return change(account, [submitted], [{ scene: 'PLACED', order: submitted }])
}

/** Ends an expired order. No event is sent, because the documents have no event for it. */
export function decideExpire(account: TradingAccount, order: TradingOrder): Change {
  const expired = applyAction(order, 'cancel') ?? order
  const ended = order.comboType === 'MASTER' ? endGroup(account, expired) : []
  return change(account, [expired, ...ended], [])
}

/** Rejects an order after it was accepted. An order that is partly filled is cancelled instead. */
export function decideFail(account: TradingAccount, order: TradingOrder): Change {
  const failed = applyAction(order, 'fail') ?? applyAction(order, 'cancel') ?? order
  const ended = order.comboType === 'MASTER' ? endGroup(account, failed) : []
  const scene = failed.status === 'FAILED' ? 'PLACE_FAILED' : 'CANCEL_SUCCESS'
  const events: readonly OrderEvent[] = [
    { scene, order: failed },
    ...ended.map((item): OrderEvent => ({ scene: 'CANCEL_SUCCESS', order: item })),
  ]
  return change(account, [failed, ...ended], events)
}

/** Fills or triggers an order at a step. Returns `undefined` if the step does not change the order. */
export function decideFill(
  account: TradingAccount,
  order: TradingOrder,
  context: StepContext,
): Change | undefined {
  const { book, percent, step } = context
  if (!isWorking(order) || step < order.firstStep) return undefined
  const isTriggered = order.isTriggered || triggers(order, book)
  const priceCents = fillPrice(order, book)
  if (priceCents === undefined) {
    return isTriggered === order.isTriggered ? undefined : change(account, [{ ...order, isTriggered }], [])
  }
  const quantity = fillQuantity(order, percent, getLotSize(order.instrument))
  const filled = fillOrder({ ...order, isTriggered }, quantity, priceCents, context)
  if (!hasMeans(account, order, filled, context)) return decideFail(account, order)
  const holdings = applyFill(account.holdings, fillBetween(order, filled), context.newId)
  const isLast = filled.status === 'FILLED'
  const ended = isLast && isChild(order) ? endGroup(account, filled) : []
  const events: readonly OrderEvent[] = [
    { scene: isLast ? 'FINAL_FILLED' : 'FILLED', order: filled },
    ...ended.map((item): OrderEvent => ({ scene: 'CANCEL_SUCCESS', order: item })),
  ]
  return { ...change(account, [filled, ...ended], events), holdings }
}

function fillOrder(
  order: TradingOrder,
  quantity: bigint,
  priceCents: number,
  { nowMs }: StepContext,
): TradingOrder {
  const filledCents = order.filledCents + valueInCents(quantity, BigInt(priceCents))
  const filledQuantity = order.filledQuantity + quantity
  const action = quantity === openQuantity(order) ? 'complete' : 'fill'
  const fields = { filledQuantity, filledCents, filledAtMs: nowMs, ...chargesFor(filledCents) }
  return applyAction(order, action, fields) ?? order
}

function fillBetween(before: TradingOrder, after: TradingOrder) {
  return {
    instrument: after.instrument,
    side: after.side,
    quantity: after.filledQuantity - before.filledQuantity,
    valueCents: after.filledCents - before.filledCents,
    chargesCents: after.commissionCents + after.feeCents - before.commissionCents - before.feeCents,
  }
}

/**
 * Whether the account has the money or the units for a fill. Both may have changed since the order was
 * placed.
 */
function hasMeans(
  account: TradingAccount,
  order: TradingOrder,
  filled: TradingOrder,
  { getPrice }: StepContext,
): boolean {
  const { quantity, valueCents, chargesCents } = fillBetween(order, filled)
  const heldQuantity = account.holdings.positions.get(order.instrument.symbol)?.quantity ?? 0n
  if (order.side === 'SELL') return quantity <= heldQuantity
  if (order.side === 'BUY' && quantity <= -heldQuantity) return true
  const { buyingPowerCents } = accountTotals(account.holdings, [], getPrice, account.isMargin)
  return valueCents + chargesCents <= buyingPowerCents
}

/** Cancels the other open orders of an order's group. @returns The cancelled orders. */
export function endGroup(
  account: TradingAccount,
  { groupId, orderId }: TradingOrder,
): readonly TradingOrder[] {
  return account
    .group(groupId)
    .filter((order) => order.orderId !== orderId && !isFinalStatus(order.status))
    .flatMap((order) => applyAction(order, 'cancel') ?? [])
}

function change(
  { accountId }: TradingAccount,
  orders: readonly TradingOrder[],
  events: readonly OrderEvent[],
): Change {
  return { accountId, orders, events }
}
