/** Previews, places, follows, changes and cancels an order with typed requests. */
import { randomUUID } from 'node:crypto'
import { createBrokerage } from '@brokerwire/client'
import {
  cancelOrder,
  getOrder,
  listAccounts,
  type NewOrder,
  placeOrder,
  previewOrder,
  replaceOrder,
} from '@brokerwire/operations'

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

await using brokerage = createBrokerage({
  region: 'us',
  environment: 'sandbox',
  appKey: process.env.BROKERWIRE_APP_KEY ?? '',
  appSecret: process.env.BROKERWIRE_APP_SECRET ?? '',
  // Set these two variables for a local simulator only.
  overrides: { baseUrl: process.env.BROKERWIRE_BASE_URL, eventsUrl: process.env.BROKERWIRE_EVENTS_URL },
})
await brokerage.accessTokens.get()
const { http } = brokerage
const accountId = (await http.request(listAccounts, {})).data[0]?.accountId ?? ''
const events = brokerage.tradeEvents({ accounts: [accountId] })
await events.next() // The subscription is open.
console.log(
  `cost: ${(await http.request(previewOrder, { accountId, newOrders: [order] })).data.estimatedCost}`,
)
await http.request(placeOrder, { accountId, newOrders: [order] })
await http.request(replaceOrder, { accountId, modifyOrders: [{ clientOrderId, quantity: '3' }] })
await http.request(cancelOrder, { accountId, clientOrderId })
for await (const item of events) {
  if (item.type !== 'event' || item.kind !== 'order') continue
  const event = item.decode()
  if (!event.ok || event.value.clientOrderId !== clientOrderId) continue
  console.log(`event: ${event.value.sceneType ?? 'no scene'}, ${event.value.orderStatus}`)
  if (event.value.orderStatus === 'CANCELLED') break
}
const { orders } = (await http.request(getOrder, { accountId, clientOrderId })).data
console.log(`order: ${orders[0]?.status}, ${orders[0]?.totalQuantity} shares`)
