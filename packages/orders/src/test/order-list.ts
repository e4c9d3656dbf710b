/** The orders of a service, as a client of the backfill. A test sets their states. */
import type { Clock, OperationRequest } from '@brokerwire/core'
import type { JournalClient } from '../index.ts'
import { failure, rejection } from './service.ts'

/** The state of an order. */
export interface ListedOrder {
  readonly clientOrderId: string
  readonly accountId: string
  readonly status: string
  readonly quantity: string
  readonly filledQuantity: string
  readonly filledPrice: string
  readonly placedAtMs: number
  readonly filledAtMs: number | undefined
}

/** Creates a service without orders. */
export function createOrderList(clock: Clock) {
  const orders = new Map<string, ListedOrder>()
  const requests: { readonly operation: string; readonly atMs: number; readonly query: string }[] = []
  /** Error codes of the next requests of an operation. The empty one is a success. */
  const faults: Record<string, string[]> = {}
  const settings = { pageSize: 20, closedStatuses: ['FILLED', 'CANCELLED', 'FAILED'] }

  const respond = (name: string, { query, pathFamily }: OperationRequest): string => {
    const code = faults[name]?.shift()
    if (code) throw failure(code)
    const values = new Map(query)
    const own = [...orders.values()].filter(({ accountId }) => accountId === values.get('account_id'))
    if (name === 'orders.get') {
      const order = own.find(({ clientOrderId }) => clientOrderId === values.get('client_order_id'))
      if (order === undefined) throw rejection('ORDER_NOT_FOUND')
      return JSON.stringify(group(order))
    }
    const startMs = Date.parse(String(values.get('start_time') ?? '1970-01-01'))
    const listed =
      name === 'orders.open'
        ? own.filter(({ status }) => !settings.closedStatuses.includes(status))
        : own.filter(({ placedAtMs }) => placedAtMs >= startMs)
    const newestFirst = listed.sort((one, other) => other.placedAtMs - one.placedAtMs)
    if (pathFamily === 'openapi') return JSON.stringify(newestFirst.map(group))
    const from = Number(values.get('pagination_key') ?? 0)
    const to = from + settings.pageSize
    const next = to < newestFirst.length ? { pagination_key: String(to) } : {}
    return JSON.stringify({ data: newestFirst.slice(from, to).map(group), ...next })
  }

  const http: Pick<JournalClient, 'request'> = {
    async request(operation, input, { pathFamily = 'current' } = {}) {
      const request = operation.createRequest(input, { pathFamily })
      const query = request.query.map(([name, value]) => `${name}=${value}`).join('&')
      requests.push({ operation: operation.name, atMs: clock.now(), query })
      const text = respond(operation.name, request)
      return operation.readResponse({ status: 200, requestId: undefined, text: () => text }, request)
    },
  }
  return {
    http,
    requests,
    faults,
    settings,
    /** Adds an order, or changes its state. */
    set(clientOrderId: string, status: string, more: Partial<ListedOrder> = {}): void {
      const before: ListedOrder = orders.get(clientOrderId) ?? {
        clientOrderId,
        accountId: 'A1',
        status,
        quantity: '10',
        filledQuantity: '0',
        filledPrice: '0.00',
        placedAtMs: clock.now(),
        filledAtMs: undefined,
      }
      orders.set(clientOrderId, { ...before, status, ...more })
    },
  }
}

function group(order: ListedOrder) {
  const { clientOrderId, status, quantity, filledQuantity, filledPrice, placedAtMs, filledAtMs } = order
  return {
    combo_type: 'NORMAL',
    client_order_id: clientOrderId,
    orders: [
      {
        client_order_id: clientOrderId,
        order_id: `S-${clientOrderId}`,
        symbol: 'AAPL',
        side: 'BUY',
        order_type: 'LIMIT',
        status,
        total_quantity: quantity,
        filled_quantity: filledQuantity,
        filled_price: filledPrice,
        place_time_at: new Date(placedAtMs).toISOString(),
        ...(filledAtMs !== undefined && { filled_time_at: new Date(filledAtMs).toISOString() }),
      },
    ],
  }
}
