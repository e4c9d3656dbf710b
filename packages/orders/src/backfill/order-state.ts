/** States of orders: as a query returns them, as a stream delivers them, and as the last delivered item left them. */
import type { StateItem } from '@brokerwire/core'
import type { Order } from '@brokerwire/operations'
import {
  compareDecimals,
  type Decimal,
  decimalToPlain,
  instantToMilliseconds,
  parseInstant,
  type TradeEvent,
} from '@brokerwire/payloads'

/** The query that returned a state. */
export type StateSource = 'orders.open' | 'orders.history' | 'orders.get'

/**
 * The state of an order that the stream did not report. It is not an event: the order may have had other
 * states before, for example after each of several fills.
 */
export interface OrderStateItem extends StateItem {
  /** Distinguishes states from other kinds. */
  readonly kind: 'order-state'
  /**
   * Identifies the order and its state. It is the same in every process, so you can recognize a state that you
   * have stored.
   */
  readonly id: string
  /** Account of the order. */
  readonly accountId: string
  /** Identifier of the order from the client. */
  readonly clientOrderId: string
  /** Identifier of the order from the service. `undefined` if the query did not return it. */
  readonly orderId: string | undefined
  /** Symbol of the instrument, such as `AAPL`. */
  readonly symbol: string
  /** Side of the order, such as `BUY`. */
  readonly side: string
  /** Status of the order, such as `PARTIAL_FILLED`. */
  readonly status: string
  /** Number of units that were ordered, as a decimal. `undefined` if the query did not return it. */
  readonly quantity: Decimal | undefined
  /** Number of units that are filled, as a decimal. */
  readonly filledQuantity: Decimal
  /** Average price of the fills, as a decimal. `undefined` if the query did not return it. */
  readonly averagePrice: Decimal | undefined
  /** Time of the order by the service's clock, in milliseconds since the Unix epoch, if it is known. */
  readonly placedAtMs: number | undefined
  /** Time of the last fill by the service's clock, in milliseconds since the Unix epoch, if there is one. */
  readonly filledAtMs: number | undefined
  /** The query that returned the state. */
  readonly source: StateSource
  /** Time at which that query was sent, by this host's clock, in milliseconds since the Unix epoch. */
  readonly polledAtMs: number
}

/** The state of an order as the last delivered item reported it. */
export interface KnownOrder
  extends Pick<OrderStateItem, 'accountId' | 'clientOrderId' | 'status' | 'quantity' | 'filledQuantity'> {
  /** `undefined` after an event, because it is not documented that the price of an event is the average. */
  readonly averagePrice: Decimal | undefined
  /** Time of the delivery by this host's clock. */
  readonly knownAtMs: number
  /**
   * Whether the order counts as ended, although its status is not one of the known final ones: the service does
   * not list it as open.
   */
  readonly isClosed?: boolean | undefined
}

const ZERO = '0' as Decimal
/** Statuses of open orders (packages/operations/OPERATIONS.md). */
const OPEN_STATUSES = new Set(['PENDING', 'SUBMITTED', 'PARTIAL_FILLED'])
const FINAL_STATUSES = new Set(['FILLED', 'CANCELLED', 'FAILED'])
/** Scenes of rejected changes. It is not documented which status their events have; the order keeps its own. */
const REJECTED_CHANGES = new Set<string | undefined>(['MODIFY_FAILED', 'CANCEL_FAILED'])

/** Whether the status is final. Unknown statuses are not. */
export const isFinal = (status: string): boolean => FINAL_STATUSES.has(status)

/** Whether the status is one of the known ones. */
export const isKnownStatus = (status: string): boolean => isFinal(status) || OPEN_STATUSES.has(status)

/** Whether nothing more is expected of an order. */
export const hasEnded = ({ status, isClosed = false }: KnownOrder): boolean => isClosed || isFinal(status)

/** Returns the key of an order in a map. */
export const orderKey = ({
  accountId,
  clientOrderId,
}: Pick<OrderStateItem, 'accountId' | 'clientOrderId'>): string => `${accountId}/${clientOrderId}`

/** Creates the state of an order in the response to a query. */
export function orderState(
  order: Order,
  accountId: string,
  source: StateSource,
  polledAtMs: number,
): OrderStateItem {
  const { clientOrderId, orderId, symbol, side, status, totalQuantity, filledQuantity = ZERO } = order
  const { filledPrice, placeTimeAt, placeTime, filledTimeAt, filledTime } = order
  const averagePrice = compareDecimals(filledQuantity, ZERO) === 0 ? undefined : filledPrice
  const digest = [status, totalQuantity, filledQuantity, averagePrice].map(canonical)
  return {
    type: 'state',
    kind: 'order-state',
    id: [accountId, orderId ?? clientOrderId, ...digest].join('/'),
    accountId,
    clientOrderId,
    orderId,
    symbol,
    side,
    status,
    quantity: totalQuantity,
    filledQuantity,
    averagePrice,
    placedAtMs: milliseconds(placeTimeAt, placeTime),
    filledAtMs: milliseconds(filledTimeAt, filledTime),
    source,
    polledAtMs,
  }
}

/** Returns what a delivered event reports about its order. `undefined` if it reports no status. */
export function knownFromEvent(event: TradeEvent, knownAtMs: number): KnownOrder | undefined {
  const { accountId, clientOrderId, orderStatus, sceneType, qty, filledQty } = event
  if (REJECTED_CHANGES.has(sceneType)) return undefined
  return {
    accountId,
    clientOrderId,
    status: orderStatus,
    quantity: qty,
    filledQuantity: filledQty,
    averagePrice: undefined,
    knownAtMs,
  }
}

/** Returns what is known after a state was delivered. */
export function knownFromState(state: OrderStateItem, knownAtMs: number): KnownOrder {
  const { accountId, clientOrderId, status, quantity, filledQuantity, averagePrice } = state
  return { accountId, clientOrderId, status, quantity, filledQuantity, averagePrice, knownAtMs }
}

/** Formats a status or a decimal, so that equal values have equal texts. */
function canonical(value: string | undefined): string {
  if (value === undefined || !/^[-+.\d]/.test(value)) return value ?? ''
  const plain = decimalToPlain(value as Decimal)
  return plain.includes('.') ? plain.replace(/\.?0+$/, '') : plain
}

/** Returns the time of an ISO 8601 string, or else of the deprecated field with milliseconds. */
function milliseconds(text: string | undefined, fallback: string | undefined): number | undefined {
  const instant = text === undefined ? undefined : parseInstant(text)
  if (instant !== undefined) return instantToMilliseconds(instant)
  return fallback !== undefined && /^\d{1,15}$/.test(fallback) ? Number(fallback) : undefined
}
