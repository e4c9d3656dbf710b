/** The orders that a stream has delivered, bounded in number. */
import { isFinal, type KnownOrder, orderKey } from './order-state.ts'

/** Stores what the last delivered item reported about each order. */
export class KnownOrders {
  readonly #orders = new Map<string, KnownOrder>()
  readonly #maxOrders: number

  /** @param maxOrders - Above this number, the final order that was delivered first is removed. */
  constructor(maxOrders: number) {
    this.#maxOrders = maxOrders
  }

  /** The orders by key, in the order of their deliveries. */
  get orders(): ReadonlyMap<string, KnownOrder> {
    return this.#orders
  }

  /** Stores an order in place of what was known of it. */
  set(order: KnownOrder): void {
    const key = orderKey(order)
    this.#orders.delete(key)
    this.#orders.set(key, order)
    if (this.#orders.size > this.#maxOrders) this.#removeFinal()
  }

  /** Removes an order. */
  delete(order: KnownOrder): void {
    this.#orders.delete(orderKey(order))
  }

  /** Removes final orders that were delivered before an instant of this host's clock. */
  prune(beforeMs: number): void {
    for (const [key, { status, knownAtMs }] of this.#orders)
      if (isFinal(status) && knownAtMs < beforeMs) this.#orders.delete(key)
  }

  /** Open orders are never removed, because only they can change. */
  #removeFinal(): void {
    for (const [key, { status }] of this.#orders) {
      if (!isFinal(status)) continue
      this.#orders.delete(key)
      return
    }
  }
}
