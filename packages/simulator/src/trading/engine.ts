/**
 * Changes the orders of an app over time. An order is submitted, a step of the market triggers or fills it,
 * or it expires. The engine has no clock and sends nothing: its owner calls `run()` and applies the changes
 * with `commit`.
 */
import type { Region } from '@brokerwire/core/endpoints'
import type { Instrument } from '../wire/instruments.ts'
import type { GetPrice } from './account.ts'
import type { MarketView } from './decide-place.ts'
import { decideExpire, decideFill, decideSubmit, isWaiting } from './decide-step.ts'
import type { SimulatedMarket } from './market.ts'
import { fillPrice, triggers } from './matching.ts'
import { isFinalStatus, isWorking, type TradingOrder } from './order.ts'
import type { Book } from './price-path.ts'
import type { Change, TradingAccount } from './trading-account.ts'

export interface EngineContext {
  readonly region: Region
  readonly market: SimulatedMarket
  readonly accounts: readonly TradingAccount[]
  readonly newId: () => string
  /** Applies a change. `atMs` is the time of the change. */
  readonly commit: (account: TradingAccount, change: Change, atMs: number) => void
  /** Time at which the engine begins. Nothing is executed for an earlier time. */
  readonly startMs: number
}

/**
 * A time at which an order changes. `step` is the step of the market that begins then, if this step causes
 * the change.
 */
interface Moment {
  readonly atMs: number
  readonly step: number | undefined
}

/** Maximum number of steps in one search for the next step that changes an order. */
const SEARCHED_STEPS = 3600
/** Maximum time until open orders are checked again. */
const LONGEST_WAIT_MS = 86_400_000

export class TradingEngine {
  readonly #context: EngineContext
  #lastMs: number
  /** The last step that was executed or searched. */
  #lastStep: number

  constructor(context: EngineContext) {
    this.#context = context
    this.#lastMs = context.startMs
    this.#lastStep = context.market.stepAt(context.startMs)
  }

  /** Returns the market at the time `nowMs`. */
  view(nowMs: number): MarketView {
    const { market, region } = this.#context
    const step = market.stepAt(nowMs)
    const getPrice: GetPrice = (instrument) => market.priceAt(instrument, step)
    return { nowMs, step, hours: market.hours, calendar: market.calendar, region, getPrice }
  }

  /** Executes everything that is due until the time `nowMs`. */
  run(nowMs: number): void {
    const { market } = this.#context
    for (;;) {
      const toStep = Math.min(market.stepAt(nowMs), this.#lastStep + SEARCHED_STEPS)
      const moment = this.#nextMoment(toStep)
      if (moment !== undefined && moment.atMs <= nowMs) {
        this.#execute(moment, toStep)
        continue
      }
      this.#lastStep = Math.max(this.#lastStep, toStep)
      if (toStep >= market.stepAt(nowMs)) break
    }
    this.#lastMs = Math.max(this.#lastMs, nowMs)
  }

  /** Returns the time at which `run()` must be called again. `undefined` if there are no open orders. */
  nextRunMs(nowMs: number): number | undefined {
    if (this.#openOrders().next().done === true) return undefined
    const { market } = this.#context
    const toStep = this.#lastStep + SEARCHED_STEPS
    const searchedMs = this.#watches().length === 0 ? Number.POSITIVE_INFINITY : market.getStartMs(toStep + 1)
    const latestMs = Math.min(nowMs + LONGEST_WAIT_MS, searchedMs)
    return Math.min(this.#nextMoment(toStep)?.atMs ?? latestMs, latestMs)
  }

  #nextMoment(toStep: number): Moment | undefined {
    const { market } = this.#context
    let atMs = Number.POSITIVE_INFINITY
    for (const [account, order] of this.#openOrders()) {
      atMs = Math.min(atMs, order.expiresAtMs)
      if (order.status !== 'PENDING' || isWaiting(account, order)) continue
      const fromMs = Math.max(order.submitAtMs, this.#lastMs)
      atMs = Math.min(atMs, market.calendar.nextOpenMs(market.hours, fromMs) ?? atMs)
    }
    const step = market.findStep(this.#lastStep + 1, toStep, this.#watches())
    if (step !== undefined && market.getStartMs(step) <= atMs) return { atMs: market.getStartMs(step), step }
    return atMs === Number.POSITIVE_INFINITY ? undefined : { atMs, step: undefined }
  }

  /**
   * @param searchedStep - The last step that was searched. No searched step before the moment changes an
   * order.
   */
  #execute({ atMs, step }: Moment, searchedStep: number): void {
    const { market, commit } = this.#context
    this.#lastMs = Math.max(this.#lastMs, atMs)
    const nowMs = this.#lastMs
    const view = this.view(nowMs)
    for (const [account, { clientOrderId }] of [...this.#openOrders()]) {
      const current = (): TradingOrder | undefined => {
        const order = account.find(clientOrderId)
        return order === undefined || isFinalStatus(order.status) ? undefined : order
      }
      let order = current()
      if (order === undefined) continue
      if (order.expiresAtMs <= nowMs) {
        commit(account, decideExpire(account, order), nowMs)
        continue
      }
      const isDue = order.status === 'PENDING' && order.submitAtMs <= nowMs && !isWaiting(account, order)
      if (isDue && market.isOpen(nowMs)) {
        commit(account, decideSubmit(account, order, view), nowMs)
        order = current()
        if (order?.timeInForce === 'IOC') {
          this.#fill(account, order, view)
          const rest = current()
          if (rest !== undefined) commit(account, decideExpire(account, rest), nowMs)
        }
      } else if (step !== undefined) this.#fill(account, order, { ...view, step })
    }
    this.#lastStep = Math.max(this.#lastStep, step ?? Math.min(view.step, searchedStep))
  }

  #fill(account: TradingAccount, order: TradingOrder, view: MarketView): void {
    const { market, newId, commit } = this.#context
    const { step } = view
    const change = decideFill(account, order, {
      ...view,
      newId,
      percent: market.percentAt(order.instrument, step),
      book: market.bookAt(order.instrument, step),
    })
    if (change !== undefined) commit(account, change, view.nowMs)
  }

  *#openOrders(): Generator<readonly [TradingAccount, TradingOrder]> {
    for (const account of this.#context.accounts) {
      for (const order of account.openOrders) yield [account, order]
    }
  }

  /**
   * Returns, for each instrument with working orders, a function that decides whether a book changes one of
   * these orders.
   */
  #watches(): readonly { readonly instrument: Instrument; readonly acts: (book: Book) => boolean }[] {
    const bySymbol = new Map<string, TradingOrder[]>()
    for (const [, order] of this.#openOrders()) {
      if (!isWorking(order)) continue
      const { symbol } = order.instrument
      const known = bySymbol.get(symbol)
      if (known === undefined) bySymbol.set(symbol, [order])
      else known.push(order)
    }
    return [...bySymbol.values()].flatMap((orders) => {
      const [first] = orders
      if (first === undefined) return []
      const decisive = mostDemanded(orders)
      const acts = (book: Book): boolean =>
        decisive.some((order) => triggers(order, book) || fillPrice(order, book) !== undefined)
      return [{ instrument: first.instrument, acts }]
    })
  }
}

/**
 * Returns, of the orders with the same side and type, the one whose price is reached first. Only this order
 * must be checked to find the next step that changes an order.
 */
function mostDemanded(orders: readonly TradingOrder[]): readonly TradingOrder[] {
  const best = new Map<string, TradingOrder>()
  for (const order of orders) {
    const kind = `${order.side} ${order.orderType} ${order.isTriggered}`
    const other = best.get(kind)
    if (other === undefined || isReachedFirst(order, other)) best.set(kind, order)
  }
  return [...best.values()]
}

function isReachedFirst(order: TradingOrder, other: TradingOrder): boolean {
  const isBuy = order.side === 'BUY'
  if (order.stopCents !== undefined && other.stopCents !== undefined && !order.isTriggered) {
    return isBuy ? order.stopCents < other.stopCents : order.stopCents > other.stopCents
  }
  if (order.limitCents === undefined || other.limitCents === undefined) return false
  return isBuy ? order.limitCents > other.limitCents : order.limitCents < other.limitCents
}
