/**
 * The public interface of an order. Each method applies a step to the order and sends the event of the step.
 */
import type { OrderScene, OrderState } from '../wire/order.ts'
import type { EmittedTradeEvent } from './emitted.ts'
import type { Publisher } from './publisher.ts'

/**
 * One order. Its methods throw `SIMULATOR_ORDER_FINAL` if its state does not allow the step, and
 * `SIMULATOR_ARGUMENT_INVALID` if a quantity is out of range.
 */
export interface SimulatedOrder {
  /** Current state of the order. */
  readonly state: OrderState
  /**
   * Fills the order in part. If nothing remains open, it becomes `FILLED` and the event is FINAL_FILLED.
   *
   * @param quantity - Number of units, at most those that are open. Default: a generated number below the
   * open units.
   */
  fill(quantity?: number): EmittedTradeEvent
  /** Fills the whole open quantity. */
  complete(): EmittedTradeEvent
  /** Ends the order as rejected by the market. */
  fail(): EmittedTradeEvent
  /**
   * Modifies the order and sends the event of the modification.
   *
   * @param quantity - The new quantity, which must be larger than the filled one. Default: a generated
   * number.
   */
  modify(quantity?: number): EmittedTradeEvent
  /** Sends the event of a rejected modification. The body of the event is invented. */
  failModify(): EmittedTradeEvent
  /** Cancels the order and sends its event. */
  cancel(): EmittedTradeEvent
  /** Sends the event of a rejected cancellation. The body of the event is invented. */
  failCancel(): EmittedTradeEvent
}

/** Creates the public interface of an order. */
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
