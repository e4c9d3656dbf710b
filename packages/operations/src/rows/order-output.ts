/** Orders in responses. */
import { array, type Infer, integerLike, object, openEnum, optional, string } from '@brokerwire/payloads'
import { amount, fees, instrumentType } from './amount.ts'

/** Identifiers that the service returns after it has accepted a request. */
export const acceptance = object({
  clientOrderId: optional(string),
  orderId: optional(string),
  clientComboOrderId: optional(string),
  comboOrderId: optional(string),
})

/**
 * Identifiers of an accepted request. The service has received the request; events or {@link getOrder} show whether
 * it succeeded.
 */
export interface Acceptance extends Infer<typeof acceptance> {}

export const batchAcceptance = object({
  total: integerLike,
  success: integerLike,
  failed: integerLike,
  batchOrders: array(
    object({
      clientOrderId: string,
      orderId: optional(string),
      errorCode: optional(string),
      message: optional(string),
    }),
  ),
})

/** The result of each order of a batch: an `orderId` if it was accepted, otherwise an `errorCode` and a `message`. */
export interface BatchAcceptance extends Infer<typeof batchAcceptance> {}

/** Known statuses. The service may add others. */
const status = openEnum('PENDING', 'SUBMITTED', 'PARTIAL_FILLED', 'FILLED', 'CANCELLED', 'FAILED')

const order = object({
  clientOrderId: string,
  orderId: optional(string),
  symbol: string,
  side: openEnum('BUY', 'SELL', 'SHORT'),
  orderType: string,
  timeInForce: optional(string),
  status,
  instrumentType: optional(instrumentType),
  entrustType: optional(openEnum('QTY', 'AMOUNT')),
  supportTradingSession: optional(string),
  expireDate: optional(string),
  totalQuantity: optional(amount),
  totalCashAmount: optional(amount),
  filledQuantity: optional(amount),
  filledPrice: optional(amount),
  limitPrice: optional(amount),
  stopPrice: optional(amount),
  trailingType: optional(string),
  trailingStopStep: optional(amount),
  trailingLimitPriceOffset: optional(amount, 'trailing_limit_price_offset', 'trailing_limit_price'),
  triggerPriceType: optional(string),
  placeTimeAt: optional(string),
  filledTimeAt: optional(string),
  placeTime: optional(string),
  filledTime: optional(string),
  positionIntent: optional(string),
  optionStrategy: optional(string),
  legInOrOut: optional(string),
  positionId: optional(string),
  legInStrategy: optional(string),
  algoType: optional(string),
  targetVolPercent: optional(string),
  maxTargetPercent: optional(string),
  algoStartTime: optional(string),
  algoEndTime: optional(string),
  eventOutcome: optional(string),
  eventTradeMode: optional(string),
  remainQuantity: optional(amount),
  tradeId: optional(string),
  comboOrderId: optional(string),
  accountTaxType: optional(string),
  marginType: optional(string),
  closeContracts: optional(array(object({ contractId: optional(string), quantity: optional(amount) }))),
  legs: optional(
    array(
      object({
        id: optional(string),
        symbol: string,
        side: optional(string),
        quantity: optional(amount),
        optionType: optional(openEnum('CALL', 'PUT')),
        optionCategory: optional(openEnum('AMERICAN', 'EUROPEAN')),
        strikePrice: optional(amount),
        optionExpireDate: optional(string),
        optionContractMultiplier: optional(amount),
        optionContractDeliverable: optional(string),
        optionStrategy: optional(string),
        expirationType: optional(string),
      }),
    ),
  ),
  commission: optional(
    object({ actualCommission: optional(amount), receivableCommission: optional(amount) }),
  ),
  fees: optional(fees),
})

/**
 * An order. Statuses `FILLED`, `CANCELLED` and `FAILED` are final. `placeTimeAt`, `filledTimeAt`: ISO 8601 with milliseconds.
 * `placeTime`, `filledTime`: milliseconds since the Unix epoch, as a string; deprecated.
 */
export interface Order extends Infer<typeof order> {}

/** A group of orders: one order, or several that belong together. */
export const orderGroup = object({
  comboType: optional(string),
  clientOrderId: optional(string),
  clientComboOrderId: optional(string),
  comboOrderId: optional(string),
  orders: array(order),
})

/** A group of orders. A group of the type `NORMAL` has one order. */
export interface OrderGroup extends Infer<typeof orderGroup> {}

/**
 * Returns the identifier that the earlier path family expects as its cursor: the identifier of the last order
 * of a group.
 */
export const lastClientOrderId = ({ clientOrderId, orders }: OrderGroup): string | undefined =>
  orders.at(-1)?.clientOrderId ?? clientOrderId

export const preview = object({
  estimatedCost: optional(amount),
  estimatedTransactionFee: optional(amount),
  currency: optional(string),
  estimatedTransactionFeeDetail: optional(
    object({
      commission: optional(
        object({ actualCommission: optional(amount), receivableCommission: optional(amount) }),
      ),
      fees: optional(fees),
    }),
  ),
})

/** The estimated cost of orders, in the currency of the market. */
export interface OrderPreview extends Infer<typeof preview> {}
