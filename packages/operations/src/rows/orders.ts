/** The operations of orders. */
import { field } from '../fields.ts'
import { createOperation, createPagedOperation } from '../operation.ts'
import { ORDER_QUERIES } from './limits.ts'
import {
  BATCH_FIELDS,
  CHANGEABLE,
  categoryHeader,
  checkOrders,
  clientOrderId,
  orderLimits,
  orderType,
  PLACE_FIELDS,
  PREVIEW_FIELDS,
  timeInForce,
} from './order-input.ts'
import { acceptance, batchAcceptance, lastClientOrderId, orderGroup, preview } from './order-output.ts'

const SOURCES = ['US', 'HK', 'HK5', 'PY2', 'JA', 'US-rate']

/**
 * Estimates the cost of orders. The request has no effect, and its identifiers can still be used for an
 * order.
 */
export const previewOrder = createOperation(
  {
    name: 'orders.preview',
    method: 'POST',
    paths: { current: '/trading/orders/preview', openapi: '/openapi/trade/order/preview' },
    fields: PREVIEW_FIELDS,
    check: ({ newOrders }, fail) => checkOrders('newOrders', newOrders, fail),
    retry: 'always',
    rateLimits: { us: { limit: 150, windowMs: 10_000 }, hk: { limit: 40, windowMs: 10_000 } },
    regions: 'HK: also the fees in detail. No crypto.',
    sources: SOURCES,
    confidence: 'documented',
  },
  preview,
)

/**
 * Places one order, or a group of orders that belong together.
 *
 * A failed attempt is retried only if its request was not sent. After `HTTP_NO_RESPONSE` the order may exist: read it with
 * {@link getOrder}, or send the same body with the same `clientOrderId` again; the code `TRADE_PLACE_ORDER_REPEAT` then states
 * that the first request was accepted (observed, not documented). Never use a new identifier for the same order.
 */
export const placeOrder = createOperation(
  {
    name: 'orders.place',
    method: 'POST',
    paths: { current: '/trading/orders/place', openapi: '/openapi/trade/order/place' },
    fields: PLACE_FIELDS,
    check: ({ newOrders }, fail) => checkOrders('newOrders', newOrders, fail),
    headers: ({ newOrders }) => categoryHeader(newOrders),
    effect: 'orders',
    retry: 'unsent',
    rateLimits: ({ newOrders: [first] }) => orderLimits(first?.market),
    regions: 'US: all four identifiers. HK: the two of a single order. HK limits differ by market.',
    sources: [...SOURCES, 'O-us'],
    confidence: 'documented',
  },
  acceptance,
)

/**
 * Places up to 50 independent orders. The service accepts or rejects each order separately, so a response with status 200 may
 * contain rejected orders. Not every app key may use this operation. For a failed request, see {@link placeOrder}.
 */
export const batchPlaceOrders = createOperation(
  {
    name: 'orders.batch-place',
    method: 'POST',
    paths: { current: '/trading/orders/batch-place', openapi: '/openapi/trade/order/batch-place' },
    fields: BATCH_FIELDS,
    check: ({ batchOrders }, fail) => checkOrders('batchOrders', batchOrders, fail),
    headers: ({ batchOrders }) => categoryHeader(batchOrders),
    effect: 'orders',
    retry: 'unsent',
    rateLimits: { us: { limit: 150, windowMs: 60_000 } },
    regions:
      'US: MARKET and LIMIT orders of stocks, DAY, by quantity. An earlier page states a limit of 600 in 60 s.',
    sources: ['US', 'PY2', 'JA', 'US-rate'],
    confidence: 'documented',
  },
  batchAcceptance,
)

/** Changes open orders. The orders keep their identifiers. */
export const replaceOrder = createOperation(
  {
    name: 'orders.replace',
    method: 'POST',
    paths: { current: '/trading/orders/replace', openapi: '/openapi/trade/order/replace' },
    fields: {
      accountId: field.string(),
      modifyOrders: field.array(
        field.object({
          clientOrderId,
          orderType: field.optional(orderType),
          timeInForce: field.optional(timeInForce),
          ...CHANGEABLE,
          legs: field.optional(
            field.array(field.object({ id: field.string(), quantity: field.decimal }), [1, 10]),
          ),
        }),
        [1, 7],
      ),
      clientComboOrderId: field.optional(field.string(), { confidence: 'official-client' }),
    },
    effect: 'orders',
    retry: 'unsent',
    rateLimits: orderLimits(undefined),
    regions: 'HK: expireDate, trailing limit, triggerPriceType. US: fields of algorithms. No crypto.',
    sources: [...SOURCES, 'US-log'],
    confidence: 'documented',
  },
  acceptance,
)

/** Cancels an open order. */
export const cancelOrder = createOperation(
  {
    name: 'orders.cancel',
    method: 'POST',
    paths: { current: '/trading/orders/cancel', openapi: '/openapi/trade/order/cancel' },
    fields: {
      accountId: field.string(),
      clientOrderId,
      clientComboOrderId: field.optional(field.string(), { confidence: 'official-client' }),
    },
    effect: 'orders',
    retry: 'unsent',
    rateLimits: orderLimits(undefined),
    sources: [...SOURCES, 'US-log'],
    confidence: 'documented',
  },
  acceptance,
)

/**
 * Reads an order. After you have placed an order, this is the most reliable way to read it, because lists may still show an
 * earlier state. For an unknown order, the US region returns 417 `ORDER_NOT_FOUND`, and the HK sandbox returns a group
 * without orders.
 */
export const getOrder = createOperation(
  {
    name: 'orders.get',
    method: 'GET',
    paths: { current: '/trading/orders/get', openapi: '/openapi/trade/order/detail' },
    fields: { accountId: field.string(), clientOrderId: field.string() },
    retry: 'always',
    rateLimits: ORDER_QUERIES,
    regions: 'Unknown order: 417 in US, a group without orders in HK.',
    sources: SOURCES,
    confidence: 'documented',
  },
  orderGroup,
)

const PAGE_FIELDS = {
  accountId: field.string(),
  paginationKey: field.optional(field.string(), { family: 'current' }),
  lastClientOrderId: field.optional(field.string(), { family: 'openapi' }),
  pageSize: field.optional(field.integer(10, 100), { family: 'openapi' }),
}

const PAGINATION = {
  cursor: 'lastClientOrderId',
  idOf: lastClientOrderId,
  pageSize: 'pageSize',
  defaultPageSize: 10,
} as const

/** Lists the open orders of an account. The list may not show yet that an order was placed or cancelled. */
export const listOpenOrders = createPagedOperation(
  {
    name: 'orders.open',
    method: 'GET',
    paths: { current: '/trading/orders/open-orders/list', openapi: '/openapi/trade/order/open' },
    fields: PAGE_FIELDS,
    retry: 'always',
    rateLimits: ORDER_QUERIES,
    sources: SOURCES,
    confidence: 'documented',
  },
  orderGroup,
  PAGINATION,
)

/**
 * Lists the orders of an account in all statuses, the newest first. Without a start time, it lists those of the last seven
 * days. The list may show an earlier state than {@link getOrder}.
 */
export const listOrderHistory = createPagedOperation(
  {
    name: 'orders.history',
    method: 'GET',
    paths: {
      current: '/trading/orders/historical-orders/list',
      openapi: '/openapi/trade/order/history',
    },
    fields: {
      ...PAGE_FIELDS,
      startTime: field.optional(field.instant, { family: 'current' }),
      endTime: field.optional(field.instant, { family: 'current' }),
      startDate: field.optional(field.date, { family: 'openapi' }),
      endDate: field.optional(field.date, { family: 'openapi', confidence: 'official-client' }),
    },
    retry: 'always',
    rateLimits: ORDER_QUERIES,
    regions: 'US: back to 2018-05-21. HK: 6 months.',
    sources: [...SOURCES, 'I-1', 'I-7'],
    confidence: 'documented',
  },
  orderGroup,
  PAGINATION,
)
