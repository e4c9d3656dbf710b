/** The picture of a consumer finds each order that differs from the service's. */
import type { OrderStateItem } from '@brokerwire/orders'
import type { Decimal } from '@brokerwire/payloads'
import type { TradingOrderView } from '@brokerwire/simulator'
import { expect, test } from 'vitest'
import { createPicture } from './picture.ts'

const state = (more: Partial<OrderStateItem> = {}): OrderStateItem => ({
  type: 'state',
  kind: 'order-state',
  id: 'any',
  accountId: 'A1',
  clientOrderId: 'c1',
  orderId: 'O1',
  symbol: 'AAPL',
  side: 'BUY',
  status: 'PARTIAL_FILLED',
  quantity: '10' as Decimal,
  filledQuantity: '4.0' as Decimal,
  averagePrice: '10.50' as Decimal,
  placedAtMs: 1,
  filledAtMs: 2,
  source: 'orders.open',
  polledAtMs: 3,
  ...more,
})
const order = (more: Partial<TradingOrderView> = {}): TradingOrderView => ({
  accountId: 'A1',
  clientOrderId: 'c1',
  orderId: 'O1',
  symbol: 'AAPL',
  side: 'BUY',
  orderType: 'LIMIT',
  timeInForce: 'DAY',
  status: 'PARTIAL_FILLED',
  quantity: '10',
  filledQuantity: '4',
  filledPrice: '10.5',
  limitPrice: '11.00',
  stopPrice: undefined,
  placedAtMs: 1,
  ...more,
})

test('accepts equal decimals in different forms', () => {
  const picture = createPicture()
  picture.apply(state())
  expect(picture.differences([order()])).toEqual([])
})

test.each<[string, Partial<TradingOrderView>]>([
  ['status', { status: 'FILLED' }],
  ['quantity', { quantity: '11' }],
  ['filled quantity', { filledQuantity: '5' }],
  ['price', { filledPrice: '10.51' }],
  ['order', { clientOrderId: 'c2' }],
])('finds another %s', (_name, more) => {
  const picture = createPicture()
  picture.apply(state())
  expect(picture.differences([order(more)])).toHaveLength(1)
})
