/** An order in the caller's hand: each method lets something happen to it and sends the event. */
import type { OrderScene, OrderState } from '../wire/order.ts'
import type { EmittedTradeEvent } from './emitted.ts'
import type { Publisher } from './publisher.ts'

/**
 * One order. Its methods throw `SIMULATOR_ORDER_FINAL` where its state does not allow the step, and
 * `SIMULATOR_ARGUMENT_INVALID` where a quantity is none that it can take.
 */
export interface SimulatedOrder {
  /** The order as it stands. */
  readonly state: OrderState
  /**
   * Filled partly, or in full where nothing stays open: then it is `FILLED`, and announced as FINAL_FILLED.
   *
   * @param quantity - Units, at most those that are open; fewer than those are drawn where it is left out.
   */
  fill(quantity?: number): EmittedTradeEvent
  /** The rest filled. */
  complete(): EmittedTradeEvent
  /** Refused by the market. */
  fail(): EmittedTradeEvent
  /** Changed. @param quantity - The new quantity, more than is filled; drawn where it is left out. */
  modify(quantity?: number): EmittedTradeEvent
  /** A change was refused. The body is invented. */
  failModify(): EmittedTradeEvent
  /** Cancelled. */
  cancel(): EmittedTradeEvent
  /** A cancellation was refused. The body is invented. */
  failCancel(): EmittedTradeEvent
}

/** Makes the handle of an order. */
export function createSimulatedOrder(
  publisher: Pick<Publisher, 'emitOrder'>,
  first: OrderState,
): SimulatedOrder {
  let state = first
  const step = (scene: OrderScene, stepQuantity?: number): EmittedTradeEvent => {
    const { order, event } = publisher.emitOrder({ order: state, scene, stepQuantity })
    state = order
    return event
  }
  return {
    get state() {
      return state
    },
    fill: (quantity) => step('FILLED', quantity),
    complete: () => step('FINAL_FILLED'),
    fail: () => step('PLACE_FAILED'),
    modify: (quantity) => step('MODIFY_SUCCESS', quantity),
    failModify: () => step('MODIFY_FAILED'),
    cancel: () => step('CANCEL_SUCCESS'),
    failCancel: () => step('CANCEL_FAILED'),
  }
}
