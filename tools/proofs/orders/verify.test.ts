/** `verify()` finds each violation of the guarantee. */
import type { OrderEntry } from '@brokerwire/orders'
import { expect, test } from 'vitest'
import { type Observed, verify } from './verify.ts'

const body = (id: string): string => JSON.stringify({ new_orders: [{ client_order_id: id }] })
const entry = (state: OrderEntry['state'], more: Partial<OrderEntry> = {}): OrderEntry => ({
  accountId: 'A1',
  clientOrderId: 'a',
  state,
  path: '/place',
  body: body('a'),
  placement: 'p',
  preparedAtMs: 1,
  looks: [],
  ...more,
})
const placed = { clientOrderId: 'a', status: 'SUBMITTED', quantity: '1' }
const check = (more: Partial<Observed>) =>
  verify({ entries: [], orders: [], placements: [], maxPlacements: () => 1, mayFail: true, ...more })

test('accepts an order with its entry, and an order that never arrived', () => {
  const look = { atMs: 1, operation: 'orders.get', result: 'not-found' } as const
  expect(check({ entries: [entry('accepted')], orders: [placed], placements: [body('a')] })).toEqual([])
  expect(check({ entries: [entry('not-found', { looks: [look] })] })).toEqual([])
  expect(check({ entries: [entry('unknown', { reason: { code: 'LOOK_FAILED' } })] })).toEqual([])
})

test.each<[problem: RegExp, observed: Partial<Observed>]>([
  [/^doubled: 2 orders of 1$/, { orders: [placed, { ...placed, clientOrderId: 'b' }] }],
  [/^doubled: a was sent 2 times$/, { placements: [body('a'), body('a')] }],
  [/^no entry: a$/, { orders: [placed] }],
  [/^no entry: a was sent$/, { placements: [body('a')] }],
  [/^other bytes: a$/, { entries: [entry('accepted', { body: '{}' })], placements: [body('a')] }],
  [/not-sent, and was received$/, { entries: [entry('not-sent')], placements: [body('a')] }],
  [/^a is accepted: /, { entries: [entry('accepted')] }],
  [/^a is rejected: /, { entries: [entry('rejected')], orders: [placed] }],
  [/^a is not-found: /, { entries: [entry('not-found')], orders: [placed] }],
  [/^a is unknown: no reason$/, { entries: [entry('unknown')] }],
  [/^a is unknown: /, { entries: [entry('unknown', { reason: { code: 'X' } })], mayFail: false }],
  [/^a is sent: /, { entries: [entry('sent')] }],
  [/^a is prepared: /, { entries: [entry('prepared')] }],
])('finds a violation: %s', (problem, observed) => {
  expect(check(observed)).toContainEqual(expect.stringMatching(problem))
})
