/** Reads the open orders and the history of an account. Requests are sent one after the other. */
import type { AbortSignalLike, BackfillProblem, Clock, PathFamily } from '@brokerwire/core'
import { throwIfAborted } from '@brokerwire/core/internal'
import { getOrder, listOpenOrders, listOrderHistory, type OrderGroup, paginate } from '@brokerwire/operations'
import { codeOf } from '../outcome.ts'
import type { JournalClient, JournalRequestOptions } from '../types.ts'
import { findMissing, relate } from './compare-orders.ts'
import {
  isKnownStatus,
  type KnownOrder,
  knownFromState,
  type OrderStateItem,
  orderKey,
  orderState,
  type StateSource,
} from './order-state.ts'

const DAY_MS = 86_400_000

/**
 * The furthest that a history is read back. The Hong Kong region has six months, the US region more
 * (packages/operations/OPERATIONS.md).
 */
const MAX_HISTORY_MS = 180 * DAY_MS

/** Ports and settings of the queries. */
export interface PollContext {
  readonly http: Pick<JournalClient, 'request'>
  readonly clock: Clock
  readonly pathFamily: PathFamily
  readonly timeoutMs: number
  readonly maxGroups: number
  readonly settleMs: number
  readonly signal: AbortSignalLike
  /** Waits until the consumer's queue has capacity. */
  readonly ready: () => Promise<void>
}

/** The part of an account's orders that is read. */
export interface PollRequest {
  readonly accountId: string
  /** The history is read back to this instant of the service's clock. */
  readonly fromMs: number
  /** The service's clock minus this host's clock. */
  readonly offsetMs: number
  /** The orders that the stream has delivered. */
  readonly known: ReadonlyMap<string, KnownOrder>
}

/** The states of an account's orders, one of each order. */
export interface Poll {
  readonly states: readonly OrderStateItem[]
  readonly problems: readonly BackfillProblem[]
  /** Whether a query failed, so that a later poll may return more. */
  readonly hasFailed: boolean
  /** Known orders that the service does not have, although its queries can no longer lag behind their events. */
  readonly notFound: readonly KnownOrder[]
  /**
   * Known orders with an unknown status that the service does not list as open, although its queries can no
   * longer lag behind their events.
   */
  readonly closed: readonly KnownOrder[]
}

/** Codes with which the service reports that it does not have an order. */
const NOT_FOUND_CODES = new Set(['ORDER_NOT_FOUND', 'PARAM_ERR'])

/**
 * Reads the states of an account's orders: open orders, history, and the detail of each known open order that
 * neither list has.
 *
 * @throws The signal's reason.
 */
export async function pollOrders(context: PollContext, request: PollRequest): Promise<Poll> {
  const { http, clock, pathFamily, timeoutMs, maxGroups, settleMs, signal, ready } = context
  const { accountId, fromMs, offsetMs, known } = request
  const states = new Map<string, OrderStateItem>()
  const problems: BackfillProblem[] = []
  const notFound: KnownOrder[] = []
  const closed: KnownOrder[] = []
  let hasFailed = false
  const client: PollContext['http'] = {
    async request(operation, input, options) {
      await ready()
      return await http.request(operation, input, options)
    },
  }
  const report = (code: string, operation: StateSource): void =>
    void problems.push({ code, accountId, operation })
  const read = async (source: StateSource, groups: AsyncIterable<OrderGroup>): Promise<void> => {
    const polledAtMs = clock.now()
    let count = 0
    try {
      for await (const { orders } of groups) {
        if (count === maxGroups) {
          report('TOO_MANY_ORDERS', source)
          return
        }
        count += 1
        for (const order of orders) addLater(states, orderState(order, accountId, source, polledAtMs))
      }
    } catch (error) {
      throwIfAborted(signal)
      const code = codeOf(error)
      if (source === 'orders.get' && NOT_FOUND_CODES.has(code)) return
      hasFailed = true
      report(code, source)
    }
  }

  const options: JournalRequestOptions = { pathFamily, timeoutMs, signal }
  const list = { accountId, ...(pathFamily === 'openapi' && { pageSize: 100 }) }
  await read('orders.open', paginate(client, listOpenOrders, list, options))
  const oldestMs = clock.now() + offsetMs - MAX_HISTORY_MS
  if (fromMs < oldestMs) report('HISTORY_TOO_SHORT', 'orders.history')
  const start = historyStart(Math.max(fromMs, oldestMs), pathFamily)
  await read('orders.history', paginate(client, listOrderHistory, { ...list, ...start }, options))
  // After a failed list it is not known which orders are missing.
  const missing = hasFailed ? [] : findMissing(known, accountId, states)
  for (const order of missing) {
    const { clientOrderId, knownAtMs } = order
    const mayLag = clock.now() < knownAtMs + settleMs
    await read('orders.get', detail(client, { accountId, clientOrderId }, options))
    // The next requests would probably fail too.
    if (hasFailed) break
    if (mayLag) continue
    const state = states.get(orderKey(order))
    if (state === undefined) notFound.push(order)
    else if (state.status === order.status && !isKnownStatus(state.status)) closed.push(order)
  }
  return { states: [...states.values()], problems, hasFailed, notFound, closed }
}

async function* detail(
  client: PollContext['http'],
  input: { readonly accountId: string; readonly clientOrderId: string },
  options: JournalRequestOptions,
): AsyncGenerator<OrderGroup, void, undefined> {
  yield (await client.request(getOrder, input, options)).data
}

/** Adds a state, unless an earlier query returned a later state of the order. */
function addLater(states: Map<string, OrderStateItem>, state: OrderStateItem): void {
  const key = orderKey(state)
  const before = states.get(key)
  const known = before && knownFromState(before, before.polledAtMs)
  const relation = relate(known, state, { settleMs: Number.POSITIVE_INFINITY, changedSinceMs: 0 })
  if (relation === 'changed') states.set(key, state)
}

/**
 * Returns the start of the history. The earlier path family accepts days, whose time zone is not documented,
 * so its history begins a day earlier.
 */
function historyStart(
  fromMs: number,
  pathFamily: PathFamily,
): { readonly startTime: string } | { readonly startDate: string } {
  const startMs = Math.max(0, fromMs)
  if (pathFamily === 'current') return { startTime: new Date(startMs).toISOString() }
  return { startDate: new Date(Math.max(0, startMs - DAY_MS)).toISOString().slice(0, 10) }
}
