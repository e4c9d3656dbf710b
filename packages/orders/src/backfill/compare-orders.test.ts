/** The comparison of polled states with delivered ones: a table of all relations. */
import type { Decimal } from '@brokerwire/payloads'
import { describe, expect, test } from 'vitest'
import { type CompareOptions, compareOrders, findMissing, relate } from './compare-orders.ts'
import { type KnownOrder, type OrderStateItem, orderKey } from './order-state.ts'

const decimal = (text: string): Decimal => text as Decimal
const KNOWN_AT_MS = 1000
const options: CompareOptions = { settleMs: 100, changedSinceMs: 500 }

function known(status: string, filled: string, more: Partial<KnownOrder> = {}): KnownOrder {
  return {
    accountId: 'A1',
    clientOrderId: 'c1',
    status,
    quantity: decimal('10'),
    filledQuantity: decimal(filled),
    averagePrice: undefined,
    knownAtMs: KNOWN_AT_MS,
    ...more,
  }
}

function polled(status: string, filled: string, more: Partial<OrderStateItem> = {}): OrderStateItem {
  return {
    type: 'state',
    kind: 'order-state',
    id: 'any',
    accountId: 'A1',
    clientOrderId: 'c1',
    orderId: 'O1',
    symbol: 'AAPL',
    side: 'BUY',
    status,
    quantity: decimal('10'),
    filledQuantity: decimal(filled),
    averagePrice: undefined,
    placedAtMs: 900,
    filledAtMs: undefined,
    source: 'orders.history',
    polledAtMs: KNOWN_AT_MS,
    ...more,
  }
}

const settled = { polledAtMs: KNOWN_AT_MS + 100 }

describe('relate', () => {
  test.each<[string, KnownOrder | undefined, OrderStateItem, string]>([
    ['an unknown open order', undefined, polled('SUBMITTED', '0'), 'changed'],
    ['an unknown cancelled order', undefined, polled('CANCELLED', '0'), 'changed'],
    ['an unknown order filled in time', undefined, polled('FILLED', '10', { filledAtMs: 500 }), 'changed'],
    ['an unknown order filled earlier', undefined, polled('FILLED', '10', { filledAtMs: 499 }), 'same'],
    ['the same state', known('PARTIAL_FILLED', '3'), polled('PARTIAL_FILLED', '3.0'), 'same'],
    ['zero in exponent form', known('SUBMITTED', '0E-10'), polled('SUBMITTED', '0'), 'same'],
    [
      'a quantity that only one has',
      known('SUBMITTED', '0', { quantity: undefined }),
      polled('SUBMITTED', '0'),
      'same',
    ],
    ['more filled', known('PARTIAL_FILLED', '3'), polled('PARTIAL_FILLED', '4'), 'changed'],
    ['less filled', known('PARTIAL_FILLED', '3'), polled('PARTIAL_FILLED', '2', settled), 'older'],
    ['submitted after pending', known('PENDING', '0'), polled('SUBMITTED', '0'), 'changed'],
    ['a final status', known('PARTIAL_FILLED', '3'), polled('CANCELLED', '3'), 'changed'],
    ['a final status with less filled', known('PARTIAL_FILLED', '3'), polled('CANCELLED', '2'), 'older'],
    ['open after a final status', known('CANCELLED', '0'), polled('SUBMITTED', '0', settled), 'older'],
    [
      'a partly filled order that the event called submitted',
      known('SUBMITTED', '3'),
      polled('PARTIAL_FILLED', '3'),
      'changed',
    ],
    [
      'a partly filled order from before its replacement',
      known('SUBMITTED', '3', { quantity: decimal('20') }),
      polled('PARTIAL_FILLED', '3'),
      'unsettled',
    ],
    [
      'another quantity, and the query may lag',
      known('SUBMITTED', '0'),
      polled('SUBMITTED', '0', { quantity: decimal('20') }),
      'unsettled',
    ],
    [
      'another quantity, and the query cannot lag',
      known('SUBMITTED', '0'),
      polled('SUBMITTED', '0', { quantity: decimal('20'), ...settled }),
      'changed',
    ],
    ['an earlier stage, and the query may lag', known('SUBMITTED', '0'), polled('PENDING', '0'), 'unsettled'],
    [
      'another price, and the query may lag',
      known('FILLED', '10', { averagePrice: decimal('5.00') }),
      polled('FILLED', '10', { averagePrice: decimal('5.01') }),
      'unsettled',
    ],
    [
      'another final status, and the query cannot lag',
      known('FILLED', '10'),
      polled('CANCELLED', '10', settled),
      'changed',
    ],
    ['an unknown status', known('SUBMITTED', '0'), polled('WORKING', '0', settled), 'changed'],
  ])('returns for %s: %s', (_name, before, state, relation) => {
    expect(relate(before, state, options)).toBe(relation)
  })
})

describe('compareOrders', () => {
  const compare = (orders: readonly KnownOrder[], states: readonly OrderStateItem[]) =>
    compareOrders(new Map(orders.map((order) => [orderKey(order), order])), states, options)

  test('returns the changes in the order of the times of the service', () => {
    const { changes } = compare(
      [],
      [
        polled('FILLED', '10', { clientOrderId: 'late', filledAtMs: 3000 }),
        polled('SUBMITTED', '0', { clientOrderId: 'placed', placedAtMs: 2000 }),
        polled('FILLED', '10', { clientOrderId: 'early', filledAtMs: 1000 }),
        polled('CANCELLED', '0', { clientOrderId: 'without a time', placedAtMs: undefined }),
      ],
    )
    const ids = changes.map(({ state }) => state.clientOrderId)
    expect(ids).toEqual(['without a time', 'early', 'placed', 'late'])
  })

  test('returns the states of which it is not clear whether the query lags', () => {
    const state = polled('PENDING', '0')
    expect(compare([known('SUBMITTED', '0')], [state])).toEqual({ changes: [], unsettled: [state] })
  })

  test('distinguishes orders of two accounts with the same identifier', () => {
    const other = polled('SUBMITTED', '0', { accountId: 'A2' })
    const { changes } = compare([known('SUBMITTED', '0')], [polled('SUBMITTED', '0'), other])
    expect(changes.map(({ state }) => state)).toEqual([other])
  })

  test.each<[string, KnownOrder | undefined, OrderStateItem, boolean]>([
    ['an accepted order', undefined, polled('SUBMITTED', '0'), false],
    ['a submitted order', known('PENDING', '0'), polled('SUBMITTED', '0'), false],
    ['the first fill', known('SUBMITTED', '0'), polled('PARTIAL_FILLED', '1'), true],
    ['a fill of an unknown order', undefined, polled('PARTIAL_FILLED', '1'), true],
    ['a cancelled order', known('SUBMITTED', '0'), polled('CANCELLED', '0'), true],
    [
      'a replaced order',
      known('SUBMITTED', '0'),
      polled('SUBMITTED', '0', { quantity: decimal('20'), ...settled }),
      true,
    ],
  ])('states whether the service sends an event: %s', (_name, before, state, hasEvent) => {
    const orders = before === undefined ? [] : [before]
    expect(compare(orders, [state]).changes.map((change) => change.hasEvent)).toEqual([hasEvent])
  })
})

test('findMissing returns the known open orders of the account that no query returned', () => {
  const open = known('SUBMITTED', '0')
  const orders = [
    open,
    known('SUBMITTED', '0', { clientOrderId: 'polled' }),
    known('FILLED', '10', { clientOrderId: 'final' }),
    known('SUBMITTED', '0', { accountId: 'A2' }),
  ]
  const byKey = new Map(orders.map((order) => [orderKey(order), order]))
  expect(findMissing(byKey, 'A1', new Map([['A1/polled', true]]))).toEqual([open])
})
