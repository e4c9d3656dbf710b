/**
 * The life of an order in trade events, with the payload of the specification. Each step takes the state of
 * an order and returns its next state, with the payload of the event. No state is stored.
 *
 * Three scenes are marked `invented`, because they are not documented. The specification has no scene type
 * for an accepted order, so the payload of `PLACED` has `order_status: SUBMITTED` and no `scene_type`. The
 * bodies of MODIFY_FAILED and CANCEL_FAILED contain the unchanged order.
 */
import { received, unreachable } from '@brokerwire/core/internal'
import { argumentFailure, SimulatorError } from '../simulator-error.ts'
import { fromCents, isoWithOffset, onePlace, tenPlaces } from './formats.ts'
import { randomOrderId } from './identifiers.ts'
import type { Instrument, Market } from './instruments.ts'
import type { WireRandom } from './random.ts'

/** The scene types of the specification, and `PLACED`, which only the simulator has. */
export const ORDER_SCENES = [
  'PLACED',
  'FILLED',
  'FINAL_FILLED',
  'PLACE_FAILED',
  'MODIFY_SUCCESS',
  'MODIFY_FAILED',
  'CANCEL_SUCCESS',
  'CANCEL_FAILED',
] as const

/** A step in the life of an order. */
export type OrderScene = (typeof ORDER_SCENES)[number]

/** The values of `order_status` in the specification. */
export type OrderStatus = 'SUBMITTED' | 'PARTIAL_FILLED' | 'FILLED' | 'FAILED' | 'CANCELLED'

/** State of an order. Quantities are in whole units, prices in cents. */
export interface OrderState {
  /** Account that placed the order. */
  readonly accountId: string
  /** Identifier that the service gave the order. */
  readonly orderId: string
  /** Identifier that the client gave the order. */
  readonly clientOrderId: string
  /** Instrument that the order trades. */
  readonly instrument: Instrument
  /** Side of the order: BUY or SELL. */
  readonly side: 'BUY' | 'SELL'
  /** Type of the order: LIMIT or MARKET. */
  readonly orderType: 'LIMIT' | 'MARKET'
  /** Quantity of the order, in whole units. */
  readonly quantity: number
  /** Filled quantity, in whole units. */
  readonly filledQuantity: number
  /** Price of the last fill in cents; 0 before the first fill. */
  readonly filledPriceCents: number
  /** Status of the order, as in its events. */
  readonly status: OrderStatus
}

/** Fields of a new order. Missing fields are generated. */
export interface NewOrder {
  /** One of the tradable symbols. @defaultValue generated */
  readonly symbol?: string | undefined
  /** Side of the order. @defaultValue generated */
  readonly side?: 'BUY' | 'SELL' | undefined
  /** Type of the order. @defaultValue generated */
  readonly orderType?: 'LIMIT' | 'MARKET' | undefined
  /** Quantity in whole units. */
  readonly quantity?: number | undefined
}

/** The state of the order after a step, and the event of the step. */
export interface OrderStep {
  readonly order: OrderState
  /** The payload's fields, in wire order. */
  readonly payload: Readonly<Record<string, unknown>>
  readonly invented: boolean
}

/** Generates an order. */
export function newOrder(
  random: WireRandom,
  market: Market,
  accountId: string,
  given: NewOrder = {},
): OrderState {
  const instrument =
    market.instruments.find((item) => item.symbol === given.symbol) ?? random.pick(market.instruments)
  const drawn = {
    side: random.pick(['BUY', 'SELL'] as const),
    orderType: random.pick(['LIMIT', 'MARKET'] as const),
    quantity: random.integer(2, 500),
  }
  return {
    accountId,
    orderId: randomOrderId(random),
    clientOrderId: random.hex(32),
    instrument,
    side: given.side ?? drawn.side,
    orderType: given.orderType ?? drawn.orderType,
    quantity: given.quantity ?? drawn.quantity,
    filledQuantity: 0,
    filledPriceCents: 0,
    status: 'SUBMITTED',
  }
}

/** Whether no further step is possible. */
export function isFinal(order: OrderState): boolean {
  return order.status === 'FILLED' || order.status === 'FAILED' || order.status === 'CANCELLED'
}

/** Inputs of {@link orderStep}. */
export interface OrderStepInput {
  readonly random: WireRandom
  readonly market: Market
  /** Time of the step in milliseconds since the Unix epoch. */
  readonly nowMs: number
  /**
   * For FILLED, the number of units to fill. If these are all open units, the order ends with FINAL_FILLED.
   * For MODIFY_SUCCESS, the new quantity. If it is missing, it is generated.
   */
  readonly quantity?: number | undefined
}

/**
 * Applies the step `requestedScene` to `order`.
 *
 * @throws {@link SimulatorError} `SIMULATOR_ORDER_FINAL` if the order's state does not allow the step,
 * `SIMULATOR_ARGUMENT_INVALID` if a quantity to fill exceeds the open units, or a new quantity does not
 * exceed the filled ones.
 */
export function orderStep(order: OrderState, requestedScene: OrderScene, input: OrderStepInput): OrderStep {
  const untouched = order.filledQuantity === 0
  if (isFinal(order) || (requestedScene === 'PLACE_FAILED' && !untouched))
    throw notAllowed(order, requestedScene)
  const scene =
    requestedScene === 'FILLED' && completesOrder(order, input.quantity) ? 'FINAL_FILLED' : requestedScene
  const next = applyScene(order, scene, input)
  const isFill = scene === 'FILLED' || scene === 'FINAL_FILLED'
  const requestId = randomOrderId(input.random)
  const payload = orderPayload({
    ...next,
    requestId,
    scene,
    quantity: tenPlaces(next.quantity),
    filledPrice: fromCents(next.filledPriceCents),
    filledQuantity: onePlace(next.filledQuantity),
    filledTime: isFill ? isoWithOffset(input.nowMs, input.market.offsetMinutes) : undefined,
    charges: scene === 'PLACE_FAILED' ? {} : commissionAndFees(next, input.random),
  })
  return { order: next, payload, invented: isInvented(scene) }
}

/** Fields of an order event. Numbers and times are strings in wire formats. */
export interface OrderPayloadFields
  extends Pick<OrderState, 'accountId' | 'orderId' | 'clientOrderId' | 'instrument' | 'status'> {
  readonly requestId: string
  readonly scene: OrderScene
  readonly side: string
  readonly orderType: string
  readonly quantity: string
  readonly filledPrice: string
  readonly filledQuantity: string
  /** Time of the fill. `undefined` if the event is not about a fill. */
  readonly filledTime: string | undefined
  /** Commission and fees, under their wire names. */
  readonly charges: Readonly<Record<string, unknown>>
}

/** Returns the payload of an order event, with its fields in wire order. */
export function orderPayload(fields: OrderPayloadFields): Readonly<Record<string, unknown>> {
  const { instrument, scene, filledTime } = fields
  return {
    account_id: fields.accountId,
    request_id: fields.requestId,
    order_id: fields.orderId,
    client_order_id: fields.clientOrderId,
    instrument_id: instrument.instrumentId,
    order_status: fields.status,
    symbol: instrument.symbol,
    short_name: instrument.shortName,
    qty: fields.quantity,
    filled_price: fields.filledPrice,
    filled_qty: fields.filledQuantity,
    ...(filledTime === undefined ? {} : { filled_time: filledTime }),
    side: fields.side,
    ...(scene === 'PLACED' ? {} : { scene_type: scene }),
    category: instrument.category,
    order_type: fields.orderType,
    ...fields.charges,
  }
}

/** Whether the payload of a scene is invented, because its form is not documented. */
export function isInvented(scene: OrderScene): boolean {
  return scene === 'PLACED' || scene === 'MODIFY_FAILED' || scene === 'CANCEL_FAILED'
}

/** Whether a fill of `units` units completes the order. Without `units`, only if one unit is open. */
function completesOrder(order: OrderState, units: number | undefined): boolean {
  const open = order.quantity - order.filledQuantity
  if (open < 1) throw notAllowed(order, 'FILLED')
  if (units !== undefined && units > open) {
    throw argumentFailure('stepQuantity', `at most ${open}, the units that are open`, received(units))
  }
  return (units ?? 1) === open
}

function applyScene(order: OrderState, scene: OrderScene, input: OrderStepInput): OrderState {
  const { random } = input
  const open = order.quantity - order.filledQuantity
  switch (scene) {
    case 'PLACED':
    case 'MODIFY_FAILED':
    case 'CANCEL_FAILED':
      return order
    case 'FILLED': {
      const filled = input.quantity ?? random.integer(1, open - 1)
      return {
        ...order,
        filledQuantity: order.filledQuantity + filled,
        filledPriceCents: fillPrice(order, random),
        status: 'PARTIAL_FILLED',
      }
    }
    case 'FINAL_FILLED':
      return {
        ...order,
        filledQuantity: order.quantity,
        filledPriceCents: fillPrice(order, random),
        status: 'FILLED',
      }
    case 'PLACE_FAILED':
      return { ...order, status: 'FAILED' }
    case 'MODIFY_SUCCESS': {
      const quantity = input.quantity ?? order.quantity + random.integer(1, 50)
      if (quantity <= order.filledQuantity) {
        const expected = `more than ${order.filledQuantity}, the units that are filled`
        throw argumentFailure('stepQuantity', expected, received(quantity))
      }
      return { ...order, quantity, status: 'SUBMITTED' }
    }
    case 'CANCEL_SUCCESS':
      return { ...order, status: 'CANCELLED' }
    default:
      return unreachable(scene)
  }
}

function fillPrice(order: OrderState, random: WireRandom): number {
  return order.instrument.priceCents + random.integer(-150, 150)
}

function commissionAndFees(order: OrderState, random: WireRandom): Record<string, unknown> {
  const fee = (): Record<string, string> => {
    const value = fromCents(random.integer(1, 9))
    return { type: 'FINRA_CAT_REGULATORY_FEE', actual_value: value, receivable_value: value }
  }
  const commission = order.filledQuantity === 0 ? '0E-10' : fromCents(random.integer(1, 250))
  return {
    actual_commission: commission,
    receivable_commission: commission,
    fees: random.chance(0.3) ? [fee(), fee()] : [fee()],
  }
}

function notAllowed(order: OrderState, scene: OrderScene): SimulatorError<'SIMULATOR_ORDER_FINAL'> {
  return new SimulatorError(
    'SIMULATOR_ORDER_FINAL',
    `an order in status ${order.status} with ${order.quantity - order.filledQuantity} units open cannot take ${scene}`,
    { details: { orderStatus: order.status, scene } },
  )
}
