/**
 * Money and positions of an account. Cash, cost and fees are integers in cents, so that rounding loses
 * nothing: cash and the cost of positions change by the same amount.
 */
import type { Instrument } from '../wire/instruments.ts'
import { chargesFor } from './charges.ts'
import { divideRounded, valueInCents } from './decimal.ts'
import { isChild, isFinalStatus, type OrderSide, openQuantity, type TradingOrder } from './order.ts'

/** A position. A short position has a negative quantity and a negative cost. */
export interface Position {
  readonly positionId: string
  readonly instrument: Instrument
  readonly quantity: bigint
  /** Cost of the quantity, in cents. */
  readonly costCents: bigint
}

/** Cash and positions. The object is never changed: each fill returns a new object. */
export interface Holdings {
  readonly cashCents: bigint
  /** Profit of closed positions, without commissions and fees. */
  readonly realizedCents: bigint
  /** Positions by symbol. No quantity is zero. */
  readonly positions: ReadonlyMap<string, Position>
}

/** Returns the price of an instrument, in cents. */
export type GetPrice = (instrument: Instrument) => number

/** One fill. */
export interface Fill {
  readonly instrument: Instrument
  readonly side: OrderSide
  readonly quantity: bigint
  readonly valueCents: bigint
  /** Commission and fees, in cents. */
  readonly chargesCents: bigint
}

/**
 * Applies a fill to cash and positions.
 *
 * @param newId - Creates an identifier for a new position.
 */
export function applyFill(holdings: Holdings, fill: Fill, newId: () => string): Holdings {
  const { instrument, chargesCents } = fill
  const isBuy = fill.side === 'BUY'
  const quantity = isBuy ? fill.quantity : -fill.quantity
  const valueCents = isBuy ? fill.valueCents : -fill.valueCents
  const before = holdings.positions.get(instrument.symbol)
  const heldQuantity = before?.quantity ?? 0n
  const closed = closedPart(heldQuantity, quantity)
  const closedCostCents =
    heldQuantity === 0n ? 0n : divideRounded((before?.costCents ?? 0n) * -closed, heldQuantity)
  const closedValueCents = divideRounded(valueCents * closed, quantity)
  const positions = new Map(holdings.positions)
  if (heldQuantity + quantity === 0n) positions.delete(instrument.symbol)
  else {
    positions.set(instrument.symbol, {
      positionId: before?.positionId ?? newId(),
      instrument,
      quantity: heldQuantity + quantity,
      costCents: (before?.costCents ?? 0n) - closedCostCents + valueCents - closedValueCents,
    })
  }
  return {
    cashCents: holdings.cashCents - valueCents - chargesCents,
    realizedCents: holdings.realizedCents - closedValueCents - closedCostCents,
    positions,
  }
}

/** Returns the part of a signed quantity that closes the position or a part of it. */
function closedPart(heldQuantity: bigint, quantity: bigint): bigint {
  if (heldQuantity === 0n || heldQuantity < 0n === quantity < 0n) return 0n
  if (quantity < 0n) return -quantity > heldQuantity ? -heldQuantity : quantity
  return quantity > -heldQuantity ? -heldQuantity : quantity
}

/** Totals of an account, in cents. */
export interface AccountTotals {
  readonly marketValueCents: bigint
  readonly costCents: bigint
  /** Sum of the reserves of open orders that buy or sell short. */
  readonly reservedCents: bigint
  readonly netValueCents: bigint
  /** Maximum value of further orders that buy or sell short. It is never negative. */
  readonly buyingPowerCents: bigint
}

/** Maximum value of the positions in a margin account, as a multiple of its net value. */
const MARGIN_LEVERAGE = 2n

export function accountTotals(
  holdings: Holdings,
  openOrders: Iterable<TradingOrder>,
  getPrice: GetPrice,
  isMargin: boolean,
): AccountTotals {
  let marketValueCents = 0n
  let exposureCents = 0n
  let costCents = 0n
  for (const position of holdings.positions.values()) {
    const valueCents = valueInCents(position.quantity, BigInt(getPrice(position.instrument)))
    marketValueCents += valueCents
    exposureCents += valueCents < 0n ? -valueCents : valueCents
    costCents += position.costCents
  }
  let reservedCents = 0n
  for (const order of openOrders) reservedCents += getReserve(order, getPrice)
  const netValueCents = holdings.cashCents + marketValueCents
  const powerCents = isMargin ? netValueCents * MARGIN_LEVERAGE - exposureCents : holdings.cashCents
  const left = powerCents - reservedCents
  return {
    marketValueCents,
    costCents,
    reservedCents,
    netValueCents,
    buyingPowerCents: left < 0n ? 0n : left,
  }
}

/**
 * Reserve of an order without a limit price, in percent of its value. It is above 100, because the price of
 * the fill is not known in advance.
 */
const MARKET_RESERVE_PERCENT = 105n

/**
 * Returns the reserve of an open order, in cents. It is zero if the order sells a position, or is a
 * STOP_PROFIT or STOP_LOSS of a group.
 */
export function getReserve(order: TradingOrder, getPrice: GetPrice): bigint {
  if (order.side === 'SELL' || isFinalStatus(order.status)) return 0n
  if (isChild(order)) return 0n
  const price = order.limitCents ?? order.stopCents ?? getPrice(order.instrument)
  const valueCents = valueInCents(openQuantity(order), BigInt(price))
  const reserveCents =
    order.limitCents === undefined ? (valueCents * MARKET_RESERVE_PERCENT) / 100n : valueCents
  const { commissionCents, feeCents } = chargesFor(order.filledCents + reserveCents)
  return reserveCents + commissionCents + feeCents - order.commissionCents - order.feeCents
}

/** Returns the part of a long position that no open order is selling. */
export function availableQuantity(
  position: Position | undefined,
  openOrders: Iterable<TradingOrder>,
): bigint {
  if (position === undefined) return 0n
  let available = position.quantity
  for (const order of openOrders) {
    const sells = order.side === 'SELL' && order.comboType === 'NORMAL'
    if (sells && order.instrument.symbol === position.instrument.symbol) available -= openQuantity(order)
  }
  return available
}
