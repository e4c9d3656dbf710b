/** Places an order, reads it and cancels it. */
import { randomUUID } from 'node:crypto'
import { createBrokerage } from '@brokerwire/client'
import { cancelOrder, getOrder, listAccounts, type NewOrder, placeOrder } from '@brokerwire/operations'
import { createFileStore } from '@brokerwire/stores/file'

await using brokerage = createBrokerage({
  region: 'us',
  environment: 'sandbox',
  appKey: process.env.BROKERWIRE_APP_KEY ?? '',
  appSecret: process.env.BROKERWIRE_APP_SECRET ?? '',
  // Only for a simulator.
  overrides: {
    baseUrl: process.env.BROKERWIRE_BASE_URL,
  },
  store: createFileStore({ directory: process.env.STORE_DIRECTORY ?? 'conf' }),
})
// Creates a token, and waits for its second factor.
await brokerage.accessTokens.get()
const { http } = brokerage
const accountId = (await http.request(listAccounts, {})).data[0]?.accountId ?? ''
const clientOrderId = randomUUID().replaceAll('-', '')
const order: NewOrder = {
  clientOrderId,
  comboType: 'NORMAL',
  instrumentType: 'EQUITY',
  market: 'US',
  symbol: 'AAPL',
  side: 'BUY',
  orderType: 'LIMIT',
  limitPrice: '10.00',
  entrustType: 'QTY',
  quantity: '2',
  timeInForce: 'DAY',
  supportTradingSession: 'CORE',
}
await http.request(placeOrder, { accountId, newOrders: [order] })
await http.request(cancelOrder, { accountId, clientOrderId })
const { orders } = (await http.request(getOrder, { accountId, clientOrderId })).data
console.log(orders[0]?.status, orders[0]?.totalQuantity)
