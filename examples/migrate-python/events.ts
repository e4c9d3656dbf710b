/** Prints the events of orders. The subscription has those of positions too: `item.kind` is then `position`. */
import { createBrokerage } from '@brokerwire/client'

await using brokerage = createBrokerage({
  region: 'us',
  environment: 'sandbox',
  appKey: process.env.BROKERWIRE_APP_KEY ?? '',
  appSecret: process.env.BROKERWIRE_APP_SECRET ?? '',
  // Only for a simulator.
  overrides: { baseUrl: process.env.BROKERWIRE_BASE_URL, eventsUrl: process.env.BROKERWIRE_EVENTS_URL },
})
const accounts = (process.env.BROKERWIRE_ACCOUNTS ?? '').split(',')
// The Python client sends subscribe type 3 in region us: orders and positions in one subscription.
for await (const item of brokerage.accountEvents({ accounts, subscribeType: 3 })) {
  if (item.type === 'notice') {
    // The Python client does not report a gap. Query the orders after it.
    if (item.kind === 'gap') console.log(`gap: ${item.cause}`)
  } else if (item.type === 'event' && item.kind === 'order') {
    const decoded = item.decode()
    if (decoded.ok) console.log(item.eventType, decoded.value.symbol, decoded.value.orderStatus)
  }
}
