/** A signed request, and an order event of a simulator, over the installed connect and protobuf. */
import assert from 'node:assert/strict'
import { createBrokerage } from '@brokerwire/client'
import { startSimulator } from '@brokerwire/simulator'

const simulator = await startSimulator({ environment: 'sandbox' })
const brokerage = createBrokerage(simulator.brokerageOptions())
try {
  const token = await brokerage.accessTokens.get({ signal: AbortSignal.timeout(30_000) })
  assert.ok(token)
  const items = brokerage.tradeEvents({ accounts: simulator.accounts, signal: AbortSignal.timeout(30_000) })
  for await (const item of items) {
    if (item.type === 'notice' && item.kind === 'subscribed')
      simulator.placeOrder({ symbol: 'AAPL', quantity: 100 }).complete()
    if (item.type !== 'event') continue
    assert.equal(item.decode().value.symbol, 'AAPL')
    break
  }
} finally {
  await brokerage.close()
  await simulator.close()
}
