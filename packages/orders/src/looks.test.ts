/** Looking for a group of orders: an entry has one identifier, and its body the identifiers of all orders. */
import type { OrderGroup } from '@brokerwire/operations'
import { expect, test } from 'vitest'
import type { JournalClient } from './index.ts'
import { rejection } from './test/service.ts'
import { order, settled, setUp } from './test/set-up.ts'

const CHILD = order('child').newOrders[0]

/** Places a group whose response is lost. Returns its entry, after queries that show these orders. */
async function place(
  detail: Readonly<Record<string, string>> | undefined,
  open: Readonly<Record<string, string>>,
) {
  const { clock, service, open: createJournal } = setUp()
  const group = (statuses: Readonly<Record<string, string>>): OrderGroup =>
    ({
      orders: Object.entries(statuses).map(([clientOrderId, status]) => ({
        clientOrderId,
        status,
        orderId: `S-${clientOrderId}`,
      })),
    }) as unknown as OrderGroup
  const http = {
    ...service.http,
    async request(operation: { readonly name: string }, input: never, options: never) {
      switch (operation.name) {
        case 'orders.place':
          return await service.http.request(operation as never, input, options)
        case 'orders.get':
          if (detail === undefined) throw rejection('ORDER_NOT_FOUND')
          return { data: group(detail) }
        default:
          return { data: { items: [group(open)], next: undefined } }
      }
    },
  } as unknown as JournalClient
  service.placeFaults.push('lost-before')
  const { newOrders } = order('master', { comboType: 'MASTER' })
  const placed = { newOrders: [...newOrders, { ...CHILD, comboType: 'STOP_PROFIT' }] }
  return await settled(clock, createJournal({ http }).place(placed as never))
}

test('is accepted if a query shows only another order of the group', async () => {
  expect(await place(undefined, { child: 'SUBMITTED' })).toMatchObject({
    clientOrderId: 'master',
    state: 'accepted',
    source: 'orders.open',
    orderStatus: 'SUBMITTED',
  })
})

test('is accepted if one of its orders failed and another one did not', async () => {
  expect(await place({ master: 'FAILED', child: 'SUBMITTED' }, {})).toMatchObject({
    state: 'accepted',
    source: 'orders.get',
    orderStatus: 'SUBMITTED',
  })
})

test('is accepted if the detail shows only an order that failed, and a list another one that did not', async () => {
  expect(await place({ master: 'FAILED' }, { child: 'SUBMITTED' })).toMatchObject({
    state: 'accepted',
    source: 'orders.open',
    orderStatus: 'SUBMITTED',
  })
})

test('is rejected if all of its orders failed', async () => {
  expect(await place({ master: 'FAILED', child: 'FAILED' }, {})).toMatchObject({
    state: 'rejected',
    reason: { code: 'FAILED' },
  })
})

test('is not found if queries show other orders only', async () => {
  expect(await place(undefined, { other: 'SUBMITTED' })).toMatchObject({ state: 'not-found' })
})
