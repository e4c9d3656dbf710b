/** Describes orders and instruments in the format of the console. Their number is limited. */
import type { Apps } from '../apps/app.ts'
import { formatCents } from '../trading/decimal.ts'
import { getMarketName } from '../trading/instruments.ts'
import { isFinalStatus } from '../trading/order.ts'
import { getOrderTypes } from '../trading/order-request.ts'
import { orderView } from '../trading/trading-controls.ts'
import type { Trading } from '../trading/trading-plugin.ts'
import type { ConsoleOrder, ConsolePrices, ConsoleTrading } from './wire.ts'

/** Dependencies of the description and of the call `order`. */
export type ConsoleTradingSource = Pick<Trading, 'getService' | 'execute'>

/** The operations of the call `order`. */
export const ORDER_OPERATIONS = ['orders.preview', 'orders.place', 'orders.replace', 'orders.cancel'] as const

const MAX_ORDERS = 100
const MAX_INSTRUMENTS = 50
/** Order types that the order ticket of the page offers. The simulator can fill orders of these types. */
const TICKET_TYPES: ReadonlySet<string> = new Set(['LIMIT', 'ENHANCED_LIMIT', 'MARKET'])

export function describeTrading({ getService }: ConsoleTradingSource, apps: Apps): ConsoleTrading {
  const services = apps.all.map(({ settings }) => getService(settings.appKey))
  const accounts = services.flatMap((service) =>
    service.accounts.map((account) => ({ app: service.app.settings.name, account })),
  )
  const orders = accounts
    .flatMap(({ app, account }) =>
      account
        .orders()
        .slice(-MAX_ORDERS)
        .map((order) => ({ app, order })),
    )
    .sort((a, b) => a.order.placedAtMs - b.order.placedAtMs)
    .slice(-MAX_ORDERS)
    .reverse()
  return {
    instruments: services.flatMap((service) => {
      const { name, region, market } = service.app.settings
      return market.instruments.slice(0, MAX_INSTRUMENTS).map((instrument) => ({
        app: name,
        symbol: instrument.symbol,
        market: getMarketName(instrument),
        orderTypes: getOrderTypes(region, instrument).filter((type) => TICKET_TYPES.has(type)),
      }))
    }),
    orders: orders.map(({ app, order }): ConsoleOrder => {
      const { orderType, timeInForce, stopPrice, ...fields } = orderView(order)
      return { app, ...fields, isOpen: !isFinalStatus(order.status) }
    }),
    orderCount: accounts.reduce((sum, { account }) => sum + account.orderCount, 0),
    openCount: accounts.reduce((sum, { account }) => sum + account.openCount, 0),
  }
}

export function describePrices({ getService }: ConsoleTradingSource, apps: Apps): ConsolePrices {
  return Object.fromEntries(
    apps.all.map(({ settings }) => {
      const service = getService(settings.appKey)
      const instruments = settings.market.instruments.slice(0, MAX_INSTRUMENTS)
      const prices = instruments.map((instrument) => [
        instrument.symbol,
        formatCents(service.getPrice(instrument)),
      ])
      return [settings.name, Object.fromEntries(prices)]
    }),
  )
}
