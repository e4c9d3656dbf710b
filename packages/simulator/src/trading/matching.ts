/** Decides whether a step of the market fills an order, and how much of it. */
import { isWhole, wholeUnits } from './decimal.ts'
import { openQuantity, type TradingOrder } from './order.ts'
import type { Book } from './price-path.ts'

/**
 * Order types that are simulated: those without a limit price, those with a limit price, and those with a
 * stop price that must be reached first.
 */
const MARKET_TYPES: ReadonlySet<string> = new Set(['MARKET', 'STOP_LOSS'])
const LIMIT_TYPES: ReadonlySet<string> = new Set([
  'LIMIT',
  'ENHANCED_LIMIT',
  'ODD_LOT_LIMIT',
  'STOP_LOSS_LIMIT',
])
const STOP_TYPES: ReadonlySet<string> = new Set(['STOP_LOSS', 'STOP_LOSS_LIMIT'])

/** Minimum and maximum part of an order's whole quantity that one step fills, in percent. */
export const FILL_PERCENT = { min: 30, max: 100 } as const

/** Whether a step with this book triggers the stop of an order. */
export function triggers({ orderType, isTriggered, side, stopCents = 0 }: TradingOrder, book: Book): boolean {
  if (isTriggered || !STOP_TYPES.has(orderType)) return false
  return side === 'BUY' ? book.askCents >= stopCents : book.bidCents <= stopCents
}

/**
 * Returns the price at which a step with this book fills an order, in cents. `undefined` if the step does not
 * fill the order. Orders of types that are not simulated are never filled.
 */
export function fillPrice(order: TradingOrder, book: Book): number | undefined {
  const { orderType, side, limitCents = 0 } = order
  if (STOP_TYPES.has(orderType) && !order.isTriggered && !triggers(order, book)) return undefined
  const priceCents = side === 'BUY' ? book.askCents : book.bidCents
  if (MARKET_TYPES.has(orderType)) return priceCents
  if (!LIMIT_TYPES.has(orderType)) return undefined
  const isReached = side === 'BUY' ? priceCents <= limitCents : priceCents >= limitCents
  return isReached ? priceCents : undefined
}

/**
 * Returns the quantity that a step fills: a part of the whole quantity, rounded up to lots, and at most the
 * open quantity. If the whole quantity has a fraction, one step fills all of it.
 *
 * @param percent - Percentage from the price path, within {@link FILL_PERCENT}.
 */
export function fillQuantity(order: TradingOrder, percent: number, lotSize: number): bigint {
  const open = openQuantity(order)
  if (!isWhole(order.quantity)) return open
  const lot = wholeUnits(lotSize)
  const part = (order.quantity * BigInt(percent) + 99n) / 100n
  const lots = (part + lot - 1n) / lot
  const quantity = lots * lot
  return quantity < open ? quantity : open
}
