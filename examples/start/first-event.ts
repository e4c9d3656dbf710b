import { createBrokerage } from '@brokerwire/client'
import { startSimulator } from '@brokerwire/simulator'

const simulator = await startSimulator({ environment: 'sandbox' })
const brokerage = createBrokerage(simulator.brokerageOptions())
await brokerage.accessTokens.get()

for await (const item of brokerage.tradeEvents({ accounts: simulator.accounts })) {
  if (item.type === 'notice') {
    console.log('notice:', item.kind)
    if (item.kind === 'subscribed') simulator.placeOrder({ symbol: 'AAPL', quantity: 100 }).complete()
  } else if (item.type === 'event' && item.kind === 'order') {
    const order = item.decode()
    if (order.ok) console.log(order.value.symbol, order.value.orderStatus, order.value.filledQty)
    if (order.ok && order.value.sceneType === 'FINAL_FILLED') break
  }
}

await brokerage.close()
await simulator.close()
