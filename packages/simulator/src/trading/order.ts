/**
 * An order and the table of its states (packages/operations/OPERATIONS.md, statuses). The documents describe
 * no transitions, so the table is inferred from the statuses.
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

/** An order. It is never changed: each step returns a new one. */
export interface TradingOrder {
  readonly accountId: string
  readonly orderId: string
  readonly clientOrderId: string
  /** Name of the group, which its orders share. For `NORMAL` the `clientOrderId`. */
  readonly groupId: string
  /** Identifier that the service gives the group. Empty for `NORMAL`. */
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
  /** Fields that are only returned in responses, such as `trailing_type`. */
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
  /** Earliest time at which it may be submitted. */
  readonly submitAtMs: number
  /** First step of the market that may fill it. */
  readonly firstStep: number
  /** Time at which it expires. */
  readonly expiresAtMs: number
}

/** Steps of an order. `replace` changes its fields and keeps its status. */
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

/** Applies an action with the fields that it changes. `undefined` if the status does not allow it. */
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
