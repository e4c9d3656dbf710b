/** The orders that a stream has delivered, bounded in number. */
import { hasEnded, type KnownOrder, orderKey } from './order-state.ts'

/** Stores what the last delivered item reported about each order. */
export class KnownOrders {
  readonly #orders = new Map<string, KnownOrder>()
  readonly #maxOrders: number

  /** @param maxOrders - Above this number, the ended order that was delivered first is removed. */
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
    if (this.#orders.size > this.#maxOrders) this.#removeEnded()
  }

  /** Removes an order, unless something newer was stored. */
  delete(order: KnownOrder): void {
    const key = orderKey(order)
    if (this.#orders.get(key) === order) this.#orders.delete(key)
  }

  /** Marks an order as ended, unless something newer was stored. */
  close(order: KnownOrder): void {
    const key = orderKey(order)
    if (this.#orders.get(key) === order) this.#orders.set(key, { ...order, isClosed: true })
  }

  /** Removes ended orders of an account that were delivered before an instant of this host's clock. */
  prune(accountId: string, beforeMs: number): void {
    for (const [key, order] of this.#orders)
      if (order.accountId === accountId && hasEnded(order) && order.knownAtMs < beforeMs)
        this.#orders.delete(key)
  }

  /** Open orders are never removed, because only they can change. */
  #removeEnded(): void {
    for (const [key, order] of this.#orders) {
      if (!hasEnded(order)) continue
      this.#orders.delete(key)
      return
    }
  }
}
