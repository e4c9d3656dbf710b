/**
 * An order and the table of its status transitions (packages/operations/OPERATIONS.md, statuses). The
 * documents describe no transitions, so the table is inferred from the statuses.
 */
import type { Instrument } from '../wire/instruments.ts'

/** Status of an order. The last three are final. */
export type TradingOrderStatus =
  | 'PENDING'
  | 'SUBMITTED'
  | 'PARTIAL_FILLED'
  | 'FILLED'
  | 'CANCELLED'
  | 'FAILED'
export const ORDER_STATUSES = [
  'PENDING',
  'SUBMITTED',
  'PARTIAL_FILLED',
  'FILLED',
  'CANCELLED',
  'FAILED',
] as const satisfies readonly TradingOrderStatus[]

export type OrderSide = 'BUY' | 'SELL' | 'SHORT'

/** Kinds of orders in a group. */
export type ComboType = 'NORMAL' | 'MASTER' | 'STOP_PROFIT' | 'STOP_LOSS'

/** An order. The object is never changed: each step returns a new object. */
export interface TradingOrder {
  readonly accountId: string
  readonly orderId: string
  readonly clientOrderId: string
  /**
   * Key of the order's group, which the orders of the group share. A `NORMAL` order is the only one of its
   * group.
   */
  readonly groupId: string
  /** Identifier that the service gives the group. Empty for a `NORMAL` order. */
  readonly groupOrderId: string
  readonly comboType: ComboType
  readonly instrument: Instrument
  readonly side: OrderSide
  readonly orderType: string
  readonly entrustType: 'QTY' | 'AMOUNT'
  readonly timeInForce: string
  readonly session: string
  readonly quantity: bigint
  /** Amount of an order by amount, in cents. */
  readonly cashCents: bigint | undefined
  readonly limitCents: number | undefined
  readonly stopCents: number | undefined
  /** Request fields that responses return unchanged, such as `trailing_type`. */
  readonly otherFields: Readonly<Record<string, string>>
  readonly status: TradingOrderStatus
  /** Whether the price has reached the stop price. */
  readonly isTriggered: boolean
  readonly filledQuantity: bigint
  /** Value of all fills, in cents. */
  readonly filledCents: bigint
  readonly commissionCents: bigint
  readonly feeCents: bigint
  readonly placedAtMs: number
  readonly filledAtMs: number | undefined
  /** Earliest time at which the order may be submitted. */
  readonly submitAtMs: number
  /** First step of the market that may fill the order. */
  readonly firstStep: number
  /** Time at which the order expires. */
  readonly expiresAtMs: number
}

/** Actions on an order. `replace` changes the fields of the order and keeps its status. */
export type OrderAction = 'submit' | 'fill' | 'complete' | 'cancel' | 'fail' | 'replace'

/** The next status for each status and action. An action without an entry is not allowed. */
export const TRANSITIONS: Readonly<
  Record<TradingOrderStatus, Readonly<Partial<Record<OrderAction, TradingOrderStatus>>>>
> = {
  PENDING: {
    submit: 'SUBMITTED',
    fill: 'PARTIAL_FILLED',
    complete: 'FILLED',
    cancel: 'CANCELLED',
    fail: 'FAILED',
    replace: 'PENDING',
  },
  SUBMITTED: {
    fill: 'PARTIAL_FILLED',
    complete: 'FILLED',
    cancel: 'CANCELLED',
    fail: 'FAILED',
    replace: 'SUBMITTED',
  },
  PARTIAL_FILLED: {
    fill: 'PARTIAL_FILLED',
    complete: 'FILLED',
    cancel: 'CANCELLED',
    replace: 'PARTIAL_FILLED',
  },
  FILLED: {},
  CANCELLED: {},
  FAILED: {},
}

/**
 * Returns the order after an action, with the fields that the action changes. `undefined` if the order's
 * status does not allow the action.
 */
export function applyAction(
  order: TradingOrder,
  action: OrderAction,
  fields: Partial<TradingOrder> = {},
): TradingOrder | undefined {
  const status = TRANSITIONS[order.status][action]
  return status && { ...order, ...fields, status }
}

export function isFinalStatus(status: TradingOrderStatus): boolean {
  return Object.keys(TRANSITIONS[status]).length === 0
}

export function openQuantity(order: TradingOrder): bigint {
  return order.quantity - order.filledQuantity
}

/** Whether the order has been submitted, so that a step of the market can fill it. */
export function isWorking({ status }: TradingOrder): boolean {
  return status === 'SUBMITTED' || status === 'PARTIAL_FILLED'
}

/** Whether the order closes or protects the position of its group's MASTER. */
export function isChild({ comboType }: TradingOrder): boolean {
  return comboType === 'STOP_PROFIT' || comboType === 'STOP_LOSS'
}
