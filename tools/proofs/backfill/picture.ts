/** The orders as a consumer of the stream knows them. It believes the last item of each order. */
import type { OrderStateItem } from '@brokerwire/orders'
import { compareDecimals, type Decimal } from '@brokerwire/payloads'
import type { TradingOrderView } from '@brokerwire/simulator'
import type { TradeStreamItem } from '@brokerwire/streams'

interface KnownOrder {
  readonly status: string
  readonly quantity: string
  readonly filledQuantity: string
  readonly averagePrice: string
}

/** The picture of a consumer. */
export interface Picture {
  /** Applies an item of the stream. */
  apply(item: TradeStreamItem | OrderStateItem): void
  /** Returns a description of each order that differs from the service's. */
  differences(orders: readonly TradingOrderView[]): readonly string[]
}

export function createPicture(): Picture {
  const known = new Map<string, KnownOrder>()
  return {
    apply(item) {
      if (item.kind === 'order-state') {
        const { clientOrderId, status, quantity = '', filledQuantity, averagePrice = '0' } = item
        known.set(clientOrderId, { status, quantity, filledQuantity, averagePrice })
      } else if (item.kind === 'order') {
        const result = item.decode()
        if (!result.ok) return
        const { clientOrderId, orderStatus, qty, filledQty, filledPrice } = result.value
        known.set(clientOrderId, {
          status: orderStatus,
          quantity: qty,
          filledQuantity: filledQty,
          averagePrice: filledPrice,
        })
      }
    },
    differences: (orders) =>
      orders.flatMap((order) => {
        const mine = known.get(order.clientOrderId)
        if (mine !== undefined && isEqual(mine, order)) return []
        const { clientOrderId, status, filledQuantity, quantity, filledPrice } = order
        const theirs = `${status} ${filledQuantity} of ${quantity} at ${filledPrice}`
        return [`${clientOrderId} is ${theirs}, but the consumer has ${JSON.stringify(mine)}`]
      }),
  }
}

const isSameNumber = (one: string, other: string): boolean =>
  compareDecimals(one as Decimal, other as Decimal) === 0

function isEqual(mine: KnownOrder, order: TradingOrderView): boolean {
  return (
    mine.status === order.status &&
    isSameNumber(mine.quantity, order.quantity) &&
    isSameNumber(mine.filledQuantity, order.filledQuantity) &&
    (isSameNumber(order.filledQuantity, '0') || isSameNumber(mine.averagePrice, order.filledPrice))
  )
}
