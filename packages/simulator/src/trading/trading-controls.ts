/** The public interface of an app's order service. */
import type { Clock } from '@brokerwire/core'
import { integer, oneOf, received, string } from '@brokerwire/core/internal'
import type { FaultCount } from '../fault-queue.ts'
import type { HttpFault } from '../http/http-fault.ts'
import { argumentFailure, readArguments } from '../simulator-error.ts'
import type { SimulatorFaults } from '../simulator-faults.ts'
import type { Instrument } from '../wire/instruments.ts'
import type { Holdings } from './account.ts'
import { decideFail } from './decide-step.ts'
import {
  averagePrice,
  CENT_PLACES,
  formatCents,
  formatDecimal,
  formatQuantity,
  parseDecimal,
  QUANTITY_PLACES,
  valueInCents,
} from './decimal.ts'
import { MARKET_HOURS, type MarketHours } from './market-hours.ts'
import { getPaths, OPERATION_NAMES, type TradingOperation } from './operations.ts'
import { isFinalStatus, type TradingOrder, type TradingOrderStatus } from './order.ts'
import { averageText } from './order-views.ts'
import type { TradingAccount } from './trading-account.ts'
import type { TradingService } from './trading-service.ts'

/** A position of an account. */
export interface TradingPositionView {
  /** Symbol of the instrument, such as `AAPL`. */
  readonly symbol: string
  /** Number of units, as a decimal. Negative for a short position. */
  readonly quantity: string
  /** Average cost of a unit, as a decimal. */
  readonly costPrice: string
}

/** An account. */
export interface TradingAccountView {
  /** Identifier of the account, as in the option `accounts`. */
  readonly accountId: string
  /** The first account of an app is a margin account, the others are cash accounts. */
  readonly accountType: 'MARGIN' | 'CASH'
  /** Cash, as a decimal. */
  readonly cash: string
  /** The positions of the account, without those that are closed. */
  readonly positions: readonly TradingPositionView[]
}

/** An order. Quantities and prices are decimals. */
export interface TradingOrderView {
  /** Identifier of the order's account. */
  readonly accountId: string
  /** Identifier of the order from the client. */
  readonly clientOrderId: string
  /** Identifier of the order from the service. */
  readonly orderId: string
  /** Symbol of the instrument, such as `AAPL`. */
  readonly symbol: string
  /** Side of the order as received. */
  readonly side: 'BUY' | 'SELL' | 'SHORT'
  /** Type of the order, such as `LIMIT`. */
  readonly orderType: string
  /** Time in force of the order, such as `DAY`. */
  readonly timeInForce: string
  /** Status of the order at present. */
  readonly status: TradingOrderStatus
  /** Number of units that were ordered. */
  readonly quantity: string
  /** Number of units that are filled. */
  readonly filledQuantity: string
  /** Average price of the fills. `0.00` without a fill. */
  readonly filledPrice: string
  /** Limit price of the order. `undefined` if its type has none. */
  readonly limitPrice: string | undefined
  /** Stop price of the order. `undefined` if its type has none. */
  readonly stopPrice: string | undefined
  /** Time of the order in milliseconds since the Unix epoch. */
  readonly placedAtMs: number
}

/** Faults of one call of an operation. */
export type TradingFault =
  /** The request is executed, but no response is sent: the connection is destroyed. */
  | { readonly kind: 'lost-response' }
  /** The request is executed immediately, and its response is sent after `delayMs`. */
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** The request is not executed. The response is an error. */
  | {
      readonly kind: 'error'
      /** Error code, such as `OPENAPI_ORDER_BUYING_POWER_NOT_ENOUGH`. */
      readonly code: string
      readonly message?: string | undefined
      /** HTTP status. @defaultValue 417 */
      readonly status?: number | undefined
    }

/** Selection of orders. */
export interface TradingOrderSelection {
  /** Only orders of this account. @defaultValue all accounts of the app */
  readonly accountId?: string | undefined
  /** Only orders that are not final. @defaultValue false */
  readonly isOpen?: boolean | undefined
}

/** Controls of an app's order service. */
export interface TradingControls {
  /** Returns the accounts of the app, with cash and positions. */
  accounts(): readonly TradingAccountView[]
  /** Returns the orders of each account of the app, oldest first. */
  orders(selection?: TradingOrderSelection): readonly TradingOrderView[]
  /** Returns the current price of a symbol, as a decimal. */
  price(symbol: string): string
  /**
   * Sets the price of a symbol until you set it again. The next step of the market may trigger or fill open
   * orders at this price.
   *
   * @param price - A decimal with at most two places. With `undefined` the price moves again.
   */
  setPrice(symbol: string, price: string | undefined): void
  /** Sets the trading hours: `'always'`, `'regular'` or `'closed'`. */
  setHours(hours: MarketHours): void
  /** Sets the cash of an account. @param cash - A decimal with at most two places. */
  setCash(accountId: string, cash: string): void
  /**
   * Sets a position of an account without placing an order.
   *
   * @param position.quantity - Units, as a decimal. `'0'` removes the position.
   * @param position.costPrice - Cost of a unit, as a decimal. Default: the current price.
   */
  setPosition(
    accountId: string,
    symbol: string,
    position: { readonly quantity: string; readonly costPrice?: string | undefined },
  ): void
  /**
   * Rejects an accepted order and sends the event of the rejection. The order becomes FAILED, or CANCELLED if
   * it is partly filled.
   */
  failOrder(accountId: string, clientOrderId: string): void
  /**
   * Sets by how many milliseconds the responses of `orders.open`, `orders.history` and `orders.get` lag
   * behind the state of the orders from now on. 0: no lag.
   */
  setQueryLag(lagMs: number): void
  /**
   * Injects a fault into the next call of an operation, on any of its paths. The faults of all apps are in
   * one queue, so that the call may be of any app. `simulator.faults.clear()` removes the fault.
   */
  nextCall(
    operation: TradingOperation,
    fault: TradingFault,
    options?: { readonly count?: FaultCount | undefined },
  ): void
}

/** Dependencies of the controls. */
export interface TradingControlsContext {
  readonly service: TradingService
  readonly clock: Clock
  readonly faults: SimulatorFaults
  /** @throws SimulatorError `SIMULATOR_CLOSED` */
  readonly requireOpen: (method: string) => void
}

const MAX_LAG_MS = 86_400_000

export function createTradingControls(context: TradingControlsContext): TradingControls {
  const { service, clock, faults, requireOpen } = context
  const { market: listed } = service.app.settings
  const getAccount = (accountId: unknown): TradingAccount => {
    const ids = service.accounts.map((account) => account.accountId)
    const id = oneOf(ids)(accountId, 'accountId', argumentFailure)
    return service.account(id)
  }
  const getInstrument = (symbol: unknown): Instrument => {
    const symbols = listed.instruments.map((item) => item.symbol)
    const name = oneOf(symbols)(symbol, 'symbol', argumentFailure)
    return listed.instruments.find((item) => item.symbol === name) ?? listed.instruments[0]
  }
  /**
   * Makes a change. Before it, everything that is already due is executed, and after it everything that is
   * due because of the change.
   */
  const change = (method: string, work: () => void): void => {
    requireOpen(method)
    service.run()
    work()
    service.run()
  }
  const setHoldings = (account: TradingAccount, holdings: Holdings): void =>
    service.commit(account, { accountId: account.accountId, holdings, orders: [], events: [] }, clock.now())

  return {
    accounts: () => service.accounts.map(accountView),
    orders(given = {}) {
      const { accountId, isOpen } = readArguments(given, ['accountId', 'isOpen'])
      const accounts = accountId === undefined ? service.accounts : [getAccount(accountId)]
      return accounts
        .flatMap((account) => account.orders())
        .filter(({ status }) => isOpen !== true || !isFinalStatus(status))
        .map(orderView)
    },
    price: (symbol) => formatCents(service.getPrice(getInstrument(symbol))),
    setPrice(symbol, price) {
      const instrument = getInstrument(symbol)
      const cents = price === undefined ? undefined : parseArgument('price', price, CENT_PLACES, 3n)
      change('setPrice', () =>
        service.market.setPrice(instrument.symbol, cents === undefined ? undefined : Number(cents)),
      )
    },
    setHours(hours) {
      oneOf(MARKET_HOURS)(hours, 'hours', argumentFailure)
      change('setHours', () => {
        service.market.hours = hours
      })
    },
    setCash(accountId, cash) {
      const account = getAccount(accountId)
      const cashCents = parseArgument('cash', cash, CENT_PLACES, 0n)
      change('setCash', () => setHoldings(account, { ...account.holdings, cashCents }))
    },
    setPosition(accountId, symbol, given) {
      const account = getAccount(accountId)
      const instrument = getInstrument(symbol)
      const { quantity: text, costPrice } = readArguments(given, ['quantity', 'costPrice'])
      const quantity = parseArgument('quantity', text, QUANTITY_PLACES)
      change('setPosition', () => {
        const priceCents =
          costPrice === undefined
            ? BigInt(service.getPrice(instrument))
            : parseArgument('costPrice', costPrice, CENT_PLACES, 0n)
        const positions = new Map(account.holdings.positions)
        const positionId = positions.get(instrument.symbol)?.positionId ?? service.newId()
        const costCents = valueInCents(quantity, priceCents)
        if (quantity === 0n) positions.delete(instrument.symbol)
        else positions.set(instrument.symbol, { positionId, instrument, quantity, costCents })
        setHoldings(account, { ...account.holdings, positions })
      })
    },
    failOrder(accountId, clientOrderId) {
      const account = getAccount(accountId)
      string()(clientOrderId, 'clientOrderId', argumentFailure)
      change('failOrder', () => {
        const order = account.find(clientOrderId)
        if (order === undefined || isFinalStatus(order.status)) {
          const state = order === undefined ? 'an unknown id' : `an order in status ${order.status}`
          throw argumentFailure('clientOrderId', 'an order that is not final', state)
        }
        service.commit(account, decideFail(account, order), clock.now())
      })
    },
    setQueryLag(lagMs) {
      service.lagMs = integer({ min: 0, max: MAX_LAG_MS })(lagMs, 'lagMs', argumentFailure)
    },
    nextCall(operation, fault, given = {}) {
      oneOf(OPERATION_NAMES)(operation, 'operation', argumentFailure)
      const { count } = readArguments(given, ['count'])
      faults.nextHttp(toHttpFault(fault), { path: getPaths(operation), count })
    },
  }
}

function toHttpFault(fault: TradingFault): HttpFault {
  const kind = oneOf(['lost-response', 'delay', 'error'])(fault?.kind, 'fault.kind', argumentFailure)
  if (kind === 'lost-response') return { kind: 'close', processed: true }
  if (fault.kind !== 'error') return fault as Extract<TradingFault, { readonly kind: 'delay' }>
  const code = string()(fault.code, 'fault.code', argumentFailure)
  return {
    kind: 'respond',
    status: fault.status ?? 417,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ error_code: code, message: fault.message ?? code }),
  }
}

/**
 * Parses a decimal argument.
 *
 * @param min - Minimum value, as an integer that is scaled by `places`. Default: no minimum.
 */
function parseArgument(argument: string, value: unknown, places: number, min?: bigint): bigint {
  const decimal = typeof value === 'string' ? parseDecimal(value, places) : undefined
  if (decimal !== undefined && (min === undefined || decimal >= min)) return decimal
  const least = min === undefined ? '' : ` of at least ${formatDecimal(min, places)}`
  throw argumentFailure(argument, `a decimal${least} with at most ${places} places`, received(value))
}

function accountView({ accountId, isMargin, holdings }: TradingAccount): TradingAccountView {
  return {
    accountId,
    accountType: isMargin ? 'MARGIN' : 'CASH',
    cash: formatCents(holdings.cashCents),
    positions: [...holdings.positions.values()].map(({ instrument, quantity, costCents }) => ({
      symbol: instrument.symbol,
      quantity: formatQuantity(quantity),
      costPrice: formatDecimal(averagePrice(costCents, quantity), 4, 2),
    })),
  }
}

/** Formats an order as the controls report it. */
export function orderView(order: TradingOrder): TradingOrderView {
  const { limitCents, stopCents } = order
  return {
    accountId: order.accountId,
    clientOrderId: order.clientOrderId,
    orderId: order.orderId,
    symbol: order.instrument.symbol,
    side: order.side,
    orderType: order.orderType,
    timeInForce: order.timeInForce,
    status: order.status,
    quantity: formatQuantity(order.quantity),
    filledQuantity: formatQuantity(order.filledQuantity),
    filledPrice: averageText(order),
    limitPrice: limitCents === undefined ? undefined : formatCents(limitCents),
    stopPrice: stopCents === undefined ? undefined : formatCents(stopCents),
    placedAtMs: order.placedAtMs,
  }
}
