/** Orders, accounts and an engine for tests of the core. */

import { decidePlace } from '../trading/decide-place.ts'
import { wholeUnits } from '../trading/decimal.ts'
import { TradingEngine } from '../trading/engine.ts'
import { SimulatedMarket } from '../trading/market.ts'
import { createCalendar, type MarketHours } from '../trading/market-hours.ts'
import type { TradingOrder } from '../trading/order.ts'
import type { OrderRequest } from '../trading/order-request.ts'
import { type Change, type OrderEvent, TradingAccount } from '../trading/trading-account.ts'
import { MARKETS } from '../wire/instruments.ts'

export const [AAPL] = MARKETS.us.instruments

export function anOrder(fields: Partial<TradingOrder> = {}): TradingOrder {
  return {
    ...aRequest(),
    quantity: wholeUnits(10),
    accountId: 'A1',
    orderId: 'O1',
    groupId: 'order c1',
    groupOrderId: '',
    status: 'SUBMITTED',
    isTriggered: false,
    filledQuantity: 0n,
    filledCents: 0n,
    commissionCents: 0n,
    feeCents: 0n,
    placedAtMs: 0,
    filledAtMs: undefined,
    submitAtMs: 0,
    firstStep: 0,
    expiresAtMs: 86_400_000,
    ...fields,
  }
}

export function aRequest(fields: Partial<OrderRequest> = {}): OrderRequest {
  return {
    clientOrderId: 'c1',
    comboType: 'NORMAL',
    instrument: AAPL,
    side: 'BUY',
    orderType: 'MARKET',
    timeInForce: 'DAY',
    session: 'CORE',
    entrustType: 'QTY',
    quantity: wholeUnits(10),
    cashCents: undefined,
    limitCents: undefined,
    stopCents: undefined,
    otherFields: {},
    ...fields,
  }
}

export const STEP_MS = 1000

/** One account with an engine. Its clock is the argument of `run()`. */
export function aMarket({
  cashCents = 100_000_000n,
  isMargin = false,
  hours = 'always',
  seed = 1,
}: {
  readonly cashCents?: bigint
  readonly isMargin?: boolean
  readonly hours?: MarketHours
  readonly seed?: number
} = {}) {
  const account = new TradingAccount({
    accountId: 'A1',
    accountNumber: 'AAA00001',
    isMargin,
    holdings: { cashCents, realizedCents: 0n, positions: new Map() },
    maxOrders: 1000,
  })
  const market = new SimulatedMarket({ seed, stepMs: STEP_MS, hours, calendar: createCalendar('us') })
  const events: (OrderEvent & { readonly atMs: number })[] = []
  let ids = 0
  const newId = (): string => `ID${++ids}`
  const commit = (_: TradingAccount, change: Change, atMs: number): void => {
    account.apply(change)
    for (const event of change.events) events.push({ ...event, atMs })
  }
  const engine = new TradingEngine({ region: 'us', market, accounts: [account], newId, commit, startMs: 0 })
  return {
    account,
    market,
    engine,
    events,
    newId,
    commit: (change: Change, atMs: number) => commit(account, change, atMs),
    /** Places orders and submits them. */
    place(orders: readonly OrderRequest[], atMs = 0) {
      const context = { ...engine.view(atMs), newId, submitDelayMs: 0, maxOpenOrders: 1000 }
      commit(account, decidePlace(account, { clientComboOrderId: undefined, orders }, context), atMs)
      engine.run(atMs)
    },
  }
}
