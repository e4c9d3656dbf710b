/** Operations on orders. */
import { DAY_MS } from '../durations.ts'
import { getAccount } from './account-endpoints.ts'
import { chargesFor, getFeeType } from './charges.ts'
import { decideCancel, decideReplace } from './decide-amend.ts'
import { decidePlace, estimatedCost, getClientComboOrderId } from './decide-place.ts'
import { formatCents } from './decimal.ts'
import { type OperationCall, type OperationHandlers, ok } from './endpoint.ts'
import { optionalText, requiredText } from './fields.ts'
import { getCurrency } from './instruments.ts'
import { isFinalStatus, type TradingOrder } from './order.ts'
import { type GroupRequest, parseBatch, parseBatchOrder, parseGroup, parseReplace } from './order-request.ts'
import { groupView, placedView } from './order-views.ts'
import { page } from './pages.ts'
import { fieldRejection, orderRejection, TradingRejection } from './rejection.ts'
import type { Change, TradingAccount } from './trading-account.ts'

type Names =
  | 'orders.preview'
  | 'orders.place'
  | 'orders.batch-place'
  | 'orders.replace'
  | 'orders.cancel'
  | 'orders.get'
  | 'orders.open'
  | 'orders.history'

type Group = readonly [TradingOrder, ...TradingOrder[]]

export const ORDER_HANDLERS: OperationHandlers<Names> = {
  'orders.preview'(call) {
    const { region, market } = call.service.app.settings
    getAccount(call)
    const { orders } = parseGroup(call.fields, call.service.app.settings)
    const view = call.service.engine.view(call.nowMs)
    // The preview is about the first order that is NORMAL or MASTER, because the other orders of a group only
    // close the position that the MASTER opens.
    const [first] = orders.filter(({ comboType }) => comboType === 'NORMAL' || comboType === 'MASTER')
    const order = first ?? orders[0]
    if (order === undefined) throw fieldRejection('new_orders', 'a non-empty array')
    const costCents = estimatedCost(order, view)
    const { commissionCents, feeCents } = chargesFor(costCents)
    const commission = formatCents(commissionCents)
    const fee = formatCents(feeCents)
    return ok({
      estimated_cost: formatCents(costCents),
      estimated_transaction_fee: formatCents(commissionCents + feeCents),
      currency: getCurrency(order.instrument, market),
      ...(region === 'hk'
        ? {
            estimated_transaction_fee_detail: {
              commission: { actual_commission: commission, receivable_commission: commission },
              fees: [{ type: getFeeType(order.instrument), actual_value: fee, receivable_value: fee }],
            },
          }
        : {}),
    })
  },

  'orders.place'(call) {
    const account = getAccount(call)
    return change(
      call,
      account,
      decideGroup(call, account, parseGroup(call.fields, call.service.app.settings)),
    )
  },
  // This operation is documented only for the US region. In the other region no app key may use it.
  'orders.batch-place'(call) {
    const { service, nowMs, fields } = call
    const { settings } = service.app
    if (settings.region !== 'us') {
      throw orderRejection('TRADE_ORDER_NO_PERMISSION', 'only the US region has batches of orders')
    }
    const account = getAccount(call)
    const results = parseBatch(fields).map((item, index) => {
      try {
        return apply(call, account, decideGroup(call, account, parseBatchOrder(item, index, settings)))
      } catch (error) {
        if (!(error instanceof TradingRejection)) throw error
        const { code, message } = error.rejection
        const id = item.client_order_id
        return { client_order_id: typeof id === 'string' ? id : '', error_code: code, message }
      }
    })
    service.run(nowMs)
    const success = results.filter((result) => 'order_id' in result).length
    return ok({ total: results.length, success, failed: results.length - success, batch_orders: results })
  },
  'orders.replace'(call) {
    const account = getAccount(call)
    const view = call.service.engine.view(call.nowMs)
    return change(call, account, decideReplace(account, parseReplace(call.fields), view))
  },
  'orders.cancel'(call) {
    const account = getAccount(call)
    const view = call.service.engine.view(call.nowMs)
    return change(call, account, decideCancel(account, requiredText(call.fields, 'client_order_id'), view))
  },

  'orders.get'(call) {
    const { service, nowMs } = call
    const { region, environment } = service.app.settings
    const account = getAccount(call)
    const clientOrderId = requiredText(call.fields, 'client_order_id')
    const order = account.asOf(clientOrderId, nowMs, service.lagMs)
    if (order !== undefined) {
      const group = account.group(order.groupId)
      const orders = group.flatMap(({ clientOrderId: id }) => account.asOf(id, nowMs, service.lagMs) ?? [])
      return ok(groupView(orders as unknown as Group, { region, withCharges: true }))
    }
    // This response to an unknown id was observed only in the sandbox of Hong Kong.
    if (region === 'hk' && environment === 'sandbox') return ok({ combo_type: 'NORMAL', orders: [] })
    throw orderRejection('ORDER_NOT_FOUND', `no order has client_order_id ${clientOrderId}`)
  },
  'orders.open': (call) => groups(call, (orders) => orders.some(({ status }) => !isFinalStatus(status))),
  'orders.history'(call) {
    const { fromMs, untilMs } = historySpan(call)
    return groups(call, ([{ placedAtMs }]) => placedAtMs >= fromMs && placedAtMs < untilMs)
  },
}

/** Decides about the orders of a group. @throws TradingRejection */
function decideGroup(
  { service, nowMs }: OperationCall,
  account: TradingAccount,
  request: GroupRequest,
): Change {
  const { submitDelayMs, maxOpenOrders } = service.settings
  const context = { ...service.engine.view(nowMs), newId: service.newId, submitDelayMs, maxOpenOrders }
  return decidePlace(account, request, context)
}

/**
 * Applies a change.
 *
 * @returns The response about its first order.
 */
function apply({ service, nowMs }: OperationCall, account: TradingAccount, decided: Change) {
  const [order] = decided.orders
  if (order === undefined) throw new Error('a change of orders has at least one')
  service.commit(account, decided, nowMs)
  return placedView(order)
}

/** Applies a change, executes everything that is due after it, and returns the response. */
function change(call: OperationCall, account: TradingAccount, decided: Change) {
  const view = apply(call, account, decided)
  call.service.run(call.nowMs)
  return ok(view)
}

/**
 * Pages of the old family. It was observed that the service accepts page sizes from 10 to 100. As a cursor,
 * the official clients send a client order id or an order id of the service.
 */
const OLD_PAGES = {
  cursors: ['last_client_order_id', 'last_order_id'],
  min: 10,
  max: 100,
  default: 10,
} as const

/** Returns a page of groups of orders, newest first. */
function groups(call: OperationCall, isIncluded: (group: Group) => boolean) {
  const { service, family, fields, nowMs } = call
  const { region } = service.app.settings
  const account = getAccount(call)
  function* items(): Generator<Group> {
    for (const orders of account.groupsAsOf(nowMs, service.lagMs)) {
      const group = orders as Group
      if (isIncluded(group)) yield group
    }
  }
  return page<Group>({
    family,
    fields,
    items: items(),
    getIds: (group) => {
      const comboId = getClientComboOrderId(group[0])
      const ids = group.flatMap(({ clientOrderId, orderId }) => [clientOrderId, orderId])
      return comboId === undefined ? ids : [...ids, comboId]
    },
    toView: (group) => groupView(group, { region }),
    pageSize: service.settings.pageSize,
    old: {
      ...OLD_PAGES,
      unknown: (id) => orderRejection('ORDER_NOT_FOUND', `no order on the list has the id ${id}`),
    },
  })
}

const DEFAULT_DAYS = 7
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const DAY = /^\d{4}-\d\d-\d\d$/

/**
 * Reads the timespan of a history. In the new family its limits are timestamps, in the old family days. The
 * default is the last seven days.
 */
function historySpan({ family, fields, nowMs }: OperationCall): {
  readonly fromMs: number
  readonly untilMs: number
} {
  const read = (name: string, form: RegExp, expected: string): number | undefined => {
    const text = optionalText(fields, name)
    if (text === undefined) return undefined
    const atMs = Date.parse(text)
    if (!form.test(text) || Number.isNaN(atMs)) throw fieldRejection(name, expected)
    return atMs
  }
  const defaultMs = nowMs - DEFAULT_DAYS * DAY_MS
  if (family === 'old') {
    const expected = 'a day such as 2026-05-01'
    const endMs = read('end_date', DAY, expected)
    return {
      fromMs: read('start_date', DAY, expected) ?? defaultMs,
      untilMs: endMs === undefined ? Number.POSITIVE_INFINITY : endMs + DAY_MS,
    }
  }
  const expected = 'an instant such as 2026-05-01T00:00:00.000Z'
  const endMs = read('end_time', ISO, expected)
  return {
    fromMs: read('start_time', ISO, expected) ?? defaultMs,
    // The timespan includes `end_time`.
    untilMs: endMs === undefined ? Number.POSITIVE_INFINITY : endMs + 1,
  }
}
