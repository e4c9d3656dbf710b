/**
 * The order service of one app: its accounts, and the engine that changes their orders. The service stores
 * each change and sends its events.
 */
import type { Clock } from '@brokerwire/core'
import type { App } from '../apps/app.ts'
import type { SimulatorState } from '../state/simulator-state.ts'
import { randomAccountNumber, randomOrderId } from '../wire/identifiers.ts'
import type { Instrument } from '../wire/instruments.ts'
import { createWireRandom, deriveSeed } from '../wire/random.ts'
import { TradingEngine } from './engine.ts'
import { SimulatedMarket } from './market.ts'
import { createCalendar } from './market-hours.ts'
import { toEventFields } from './order-event.ts'
import { rejection } from './rejection.ts'
import { type Change, TradingAccount } from './trading-account.ts'
import type { TradingSettings } from './trading-options.ts'
import {
  holdingsRecord,
  orderRecord,
  restoreHoldings,
  restoreOrder,
  type TradingRecord,
} from './trading-record.ts'

export interface TradingServiceContext {
  readonly app: App
  readonly settings: TradingSettings
  readonly clock: Clock
  readonly state: SimulatorState
  /** Seed of prices, the same for all apps. */
  readonly seed: number
  readonly emitPlaceEvents: boolean
  /** Called after each change. */
  readonly onChange: () => void
}

/** Numbers of the random sequences of identifiers, for `deriveSeed`. */
const ID_SEED = 5
const USER_SEED = 6

export class TradingService {
  readonly app: App
  readonly settings: TradingSettings
  readonly market: SimulatedMarket
  readonly engine: TradingEngine
  readonly accounts: readonly TradingAccount[]
  readonly userId: string
  readonly newId: () => string
  /** Time by which responses to queries lag behind the state of the orders, in milliseconds. */
  lagMs = 0
  readonly #context: TradingServiceContext
  #cancelTimer: (() => void) | undefined
  #isClosed = false

  constructor(context: TradingServiceContext) {
    const { app, settings, clock, seed, state } = context
    const { region, seed: appSeed, accounts } = app.settings
    this.#context = context
    this.app = app
    this.settings = settings
    const calendar = createCalendar(region)
    this.market = new SimulatedMarket({ seed, stepMs: settings.stepMs, hours: settings.hours, calendar })
    const names = createWireRandom(deriveSeed(appSeed, USER_SEED))
    this.userId = names.string('0123456789', 9)
    this.accounts = accounts.map(
      (accountId, index) =>
        new TradingAccount({
          accountId,
          accountNumber: randomAccountNumber(names),
          isMargin: index === 0,
          holdings: { cashCents: settings.cash, realizedCents: 0n, positions: new Map() },
          maxOrders: settings.maxOrders,
        }),
    )
    const restored = this.#restore(state)
    // The seed depends on the number of restored orders. With the seed of the earlier run, new orders would
    // get the identifiers of restored orders.
    const ids = createWireRandom(deriveSeed(deriveSeed(appSeed, ID_SEED), restored))
    this.newId = () => randomOrderId(ids)
    this.engine = new TradingEngine({
      region,
      market: this.market,
      accounts: this.accounts,
      newId: this.newId,
      commit: this.commit,
      startMs: clock.now(),
    })
  }

  /** @throws TradingRejection 403 `ACCOUNT_ACCESS_DENIED` */
  account(accountId: string): TradingAccount {
    const found = this.accounts.find((account) => account.accountId === accountId)
    if (found !== undefined) return found
    throw rejection('ACCOUNT_ACCESS_DENIED', 'account_id must be an account of the app', 403)
  }

  /** Returns the current price of an instrument, in cents. */
  getPrice = (instrument: Instrument): number =>
    this.market.priceAt(instrument, this.market.stepAt(this.#context.clock.now()))

  /** Writes a change to the state file, applies it and sends its events. */
  readonly commit = (account: TradingAccount, change: Change, atMs: number): void => {
    const { app, state, emitPlaceEvents, onChange } = this.#context
    const { holdings, orders } = change
    state.write({
      kind: 'trading',
      app: app.settings.name,
      accountId: account.accountId,
      holdings: holdings === undefined ? null : holdingsRecord(holdings),
      orders: orders.map(orderRecord),
    })
    account.apply(change, atMs, this.lagMs)
    for (const event of change.events) {
      if (event.scene === 'PLACED' && !emitPlaceEvents) continue
      app.publisher.emitOrderPayload(toEventFields(event, app.settings.market.offsetMinutes))
    }
    onChange()
  }

  /** Executes everything that is due, and sets a timer for the next call. */
  run(nowMs = this.#context.clock.now()): void {
    if (this.#isClosed) return
    this.engine.run(nowMs)
    this.#cancelTimer?.()
    const nextMs = this.engine.nextRunMs(nowMs)
    this.#cancelTimer =
      nextMs === undefined
        ? undefined
        : this.#context.clock.setTimer(() => this.run(), Math.max(0, nextMs - this.#context.clock.now()))
  }

  close(): void {
    this.#isClosed = true
    this.#cancelTimer?.()
  }

  /** Yields the service's current records for a state file. */
  *records(): Generator<TradingRecord, void, undefined> {
    const app = this.app.settings.name
    for (const account of this.accounts) {
      const record = { kind: 'trading', app, accountId: account.accountId } as const
      yield { ...record, holdings: holdingsRecord(account.holdings), orders: [] }
      for (const order of account.orders()) yield { ...record, holdings: null, orders: [orderRecord(order)] }
    }
  }

  /** @returns Number of restored orders. */
  #restore(state: SimulatorState): number {
    const { name, market } = this.app.settings
    for (const record of state.getRecords(name)) {
      if (record.kind !== 'trading') continue
      const { accountId, holdings, orders } = record
      const account = this.accounts.find((item) => item.accountId === accountId)
      account?.apply({
        accountId,
        holdings: holdings === null ? undefined : restoreHoldings(holdings, market),
        orders: orders.flatMap((order) => restoreOrder(order, accountId, market) ?? []),
      })
    }
    return this.accounts.reduce((sum, account) => sum + account.orderCount, 0)
  }
}
