/**
 * The orders and holdings of one account, and changes of both. A decision reads the account and returns a
 * change. The account is not changed until `apply()` is called with the change.
 */
import type { OrderScene } from '../wire/order.ts'
import type { Holdings } from './account.ts'
import { isFinalStatus, type TradingOrder } from './order.ts'

/** A change of one account. */
export interface Change {
  readonly accountId: string
  readonly holdings?: Holdings | undefined
  /** New and changed orders. */
  readonly orders: readonly TradingOrder[]
  /** Events to send, in order. */
  readonly events: readonly OrderEvent[]
}

/** An event about an order, with the state of the order after the change. */
export interface OrderEvent {
  readonly scene: OrderScene
  readonly order: TradingOrder
}

/**
 * An earlier state of an order, which was valid until `untilMs`. It is stored for queries that return a
 * delayed state.
 */
interface Version {
  readonly untilMs: number
  readonly order: TradingOrder | undefined
}

/** Maximum number of earlier states of one order. */
const MAX_VERSIONS = 100

export class TradingAccount {
  readonly accountId: string
  readonly accountNumber: string
  readonly isMargin: boolean
  #holdings: Holdings
  /** Orders by client order id, oldest first. */
  readonly #orders = new Map<string, TradingOrder>()
  readonly #open = new Map<string, TradingOrder>()
  /** Client order ids by group, oldest first. */
  readonly #groups = new Map<string, readonly string[]>()
  readonly #versions = new Map<string, readonly Version[]>()
  readonly #maxOrders: number

  /**
   * @param options.maxOrders - Maximum number of orders. If there are more, the oldest group without open
   * orders is discarded.
   */
  constructor(options: {
    readonly accountId: string
    readonly accountNumber: string
    readonly isMargin: boolean
    readonly holdings: Holdings
    readonly maxOrders: number
  }) {
    this.accountId = options.accountId
    this.accountNumber = options.accountNumber
    this.isMargin = options.isMargin
    this.#holdings = options.holdings
    this.#maxOrders = options.maxOrders
  }

  get holdings(): Holdings {
    return this.#holdings
  }

  /** Orders that are not final. */
  get openOrders(): Iterable<TradingOrder> {
    return this.#open.values()
  }

  get openCount(): number {
    return this.#open.size
  }

  find(clientOrderId: string): TradingOrder | undefined {
    return this.#orders.get(clientOrderId)
  }

  /** Returns the orders of a group, in the order of the request. */
  group(groupId: string): readonly TradingOrder[] {
    return (this.#groups.get(groupId) ?? []).flatMap((id) => this.#orders.get(id) ?? [])
  }

  /** Number of orders, including final ones. */
  get orderCount(): number {
    return this.#orders.size
  }

  /** Returns all orders, oldest first. */
  orders(): readonly TradingOrder[] {
    return [...this.#orders.values()]
  }

  /** Yields the groups as they were `lagMs` ago, newest first. Groups that were placed later are omitted. */
  *groupsAsOf(nowMs: number, lagMs: number): Generator<readonly TradingOrder[]> {
    for (const ids of [...this.#groups.values()].reverse()) {
      const orders = ids.flatMap((id) => this.asOf(id, nowMs, lagMs) ?? [])
      if (orders.length > 0) yield orders
    }
  }

  /** Returns an order as it was `lagMs` ago. `undefined` if it was placed later. */
  asOf(clientOrderId: string, nowMs: number, lagMs: number): TradingOrder | undefined {
    const order = this.#orders.get(clientOrderId)
    if (lagMs === 0) return order
    const earlier = this.#versions.get(clientOrderId)?.find(({ untilMs }) => untilMs > nowMs - lagMs)
    return earlier === undefined ? order : earlier.order
  }

  /** Applies a change. @param lagMs - Time for which earlier states are stored. */
  apply(change: Omit<Change, 'events'>, nowMs = 0, lagMs = 0): void {
    if (change.holdings !== undefined) this.#holdings = change.holdings
    for (const order of change.orders) this.#set(order, nowMs, lagMs)
  }

  #set(order: TradingOrder, nowMs: number, lagMs: number): void {
    const { clientOrderId, groupId } = order
    const before = this.#orders.get(clientOrderId)
    this.#keepVersion(clientOrderId, before, nowMs, lagMs)
    if (before === undefined) {
      this.#groups.set(groupId, [...(this.#groups.get(groupId) ?? []), clientOrderId])
    }
    this.#orders.set(clientOrderId, order)
    if (isFinalStatus(order.status)) this.#open.delete(clientOrderId)
    else this.#open.set(clientOrderId, order)
    if (this.#orders.size > this.#maxOrders) this.#dropOldest()
  }

  #keepVersion(id: string, order: TradingOrder | undefined, nowMs: number, lagMs: number): void {
    if (lagMs === 0) {
      this.#versions.delete(id)
      return
    }
    const kept = (this.#versions.get(id) ?? []).filter(({ untilMs }) => untilMs > nowMs - lagMs)
    this.#versions.set(id, [...kept, { untilMs: nowMs, order }].slice(-MAX_VERSIONS))
  }

  #dropOldest(): void {
    for (const [groupId, ids] of this.#groups) {
      if (ids.some((id) => this.#open.has(id))) continue
      this.#groups.delete(groupId)
      for (const id of ids) {
        this.#orders.delete(id)
        this.#versions.delete(id)
      }
      return
    }
  }
}
