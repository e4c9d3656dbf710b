/** Looks for an order with three queries: its detail, the open orders, and the history. */
import type { AbortSignalLike, Clock, PathFamily } from '@brokerwire/core'
import { isRecord, parseJsonObject, throwIfAborted } from '@brokerwire/core/internal'
import { getOrder, listOpenOrders, listOrderHistory, type OrderGroup, paginate } from '@brokerwire/operations'
import { FAILED, type FoundOrder, isComplete, type OrderEntry, type OrderLook } from './entry.ts'
import { codeOf, serviceCodeOf } from './outcome.ts'
import type { JournalClient, JournalRequestOptions } from './types.ts'

/**
 * Maximum number of groups that are read from a list. A longer list may contain the order in a group that was
 * not read.
 */
const MAX_GROUPS = 500

/**
 * The history is read from this long before the order was prepared, because clocks differ and days have time
 * zones.
 */
const HISTORY_MARGIN_MS = 86_400_000

/** Codes with which the service reports that it does not have an order. */
const NOT_FOUND_CODES = new Set(['ORDER_NOT_FOUND', 'PARAM_ERR'])

/** Ports and settings of the queries. */
export interface LookContext {
  readonly http: JournalClient
  readonly clock: Clock
  readonly pathFamily: PathFamily
  /** Time limit of each attempt. */
  readonly timeoutMs: number
}

/** The result of one round of queries. */
export interface Looks {
  readonly looks: readonly OrderLook[]
  readonly found: FoundOrder | undefined
}

type Query = (options: JournalRequestOptions) => AsyncIterable<OrderGroup>

/**
 * Looks for an order until one query has it.
 *
 * @param operations - How many of the queries are used, in the order detail, open orders, history.
 * @throws The signal's reason.
 */
export async function lookForOrder(
  { http, clock, pathFamily, timeoutMs }: LookContext,
  entry: OrderEntry,
  options: JournalRequestOptions & { readonly signal: AbortSignalLike },
  operations = 3,
): Promise<Looks> {
  const { accountId, clientOrderId, preparedAtMs } = entry
  const ids = idsOf(entry)
  const startMs = Math.max(0, preparedAtMs - HISTORY_MARGIN_MS)
  const startTime = new Date(startMs).toISOString()
  const start = pathFamily === 'current' ? { startTime } : { startDate: startTime.slice(0, 10) }
  const pageSize = pathFamily === 'openapi' ? { pageSize: 100 } : {}
  const queries: readonly (readonly [OrderLook['operation'], Query])[] = [
    [
      'orders.get',
      async function* detail(given) {
        yield (await http.request(getOrder, { accountId, clientOrderId }, given)).data
      },
    ],
    ['orders.open', (given) => paginate(http, listOpenOrders, { accountId, ...pageSize }, given)],
    [
      'orders.history',
      (given) => paginate(http, listOrderHistory, { accountId, ...pageSize, ...start }, given),
    ],
  ]
  const looks: OrderLook[] = []
  let rejected: FoundOrder | undefined
  for (const [operation, query] of queries.slice(0, operations)) {
    const atMs = clock.now()
    try {
      const found = await search(query({ ...options, pathFamily, timeoutMs }), ids)
      const isFound = typeof found === 'object'
      looks.push({ atMs, operation, result: isFound ? 'found' : found })
      if (!isFound) continue
      const isRejected = isRejectedOrder(found)
      const order = { source: operation, orderId: found.orderId, orderStatus: found.status, isRejected }
      if (!isRejected || ids.size === 1) return { looks, found: order }
      // A query may show only a part of a group.
      rejected ??= order
    } catch (error) {
      throwIfAborted(options.signal)
      const isMissing = operation === 'orders.get' && NOT_FOUND_CODES.has(serviceCodeOf(error) ?? '')
      looks.push(
        isMissing
          ? { atMs, operation, result: 'not-found' }
          : { atMs, operation, result: 'failed', code: codeOf(error) },
      )
    }
  }
  // A group is rejected only if all queries were complete, and none shows an order of it that was not rejected.
  const areComplete = looks.length === queries.length && looks.every(isComplete)
  return { looks, found: areComplete ? rejected : undefined }
}

/** Whether the service rejected an order entirely. A status `FAILED` may follow partial fills. */
const isRejectedOrder = ({ status, filledQuantity }: OrderGroup['orders'][number]): boolean =>
  status === FAILED && Number(filledQuantity ?? 0) === 0

/** Returns the identifiers of all orders of an entry. An entry of a group has several. */
export function idsOf({
  clientOrderId,
  body,
}: Pick<OrderEntry, 'clientOrderId' | 'body'>): ReadonlySet<unknown> {
  const { new_orders: orders } = parseJsonObject(body) ?? {}
  const ids = Array.isArray(orders) ? orders.map((order) => isRecord(order) && order.client_order_id) : []
  return new Set([clientOrderId, ...ids])
}

/**
 * Searches groups for the orders with these identifiers. Returns one that was not rejected, if there is one: a
 * group counts as rejected only if all of its orders were.
 */
async function search(
  groups: AsyncIterable<OrderGroup>,
  ids: ReadonlySet<unknown>,
): Promise<OrderGroup['orders'][number] | 'not-found' | 'incomplete'> {
  let count = 0
  for await (const { orders } of groups) {
    const found = orders.filter((order) => ids.has(order.clientOrderId))
    const order = found.find((each) => !isRejectedOrder(each)) ?? found[0]
    if (order !== undefined) return order
    count += 1
    if (count === MAX_GROUPS) return 'incomplete'
  }
  return 'not-found'
}
