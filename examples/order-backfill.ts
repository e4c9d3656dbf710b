/**
 * Follows the orders of the accounts in `BROKERWIRE_ACCOUNTS`: events as they arrive, and the states of orders that
 * the stream missed.
 */
import { createBrokerage } from '@brokerwire/client'

const accounts = (process.env.BROKERWIRE_ACCOUNTS ?? '').split(',').filter((account) => account !== '')

await using brokerage = createBrokerage({
  region: 'us',
  environment: 'sandbox',
  appKey: process.env.BROKERWIRE_APP_KEY ?? '',
  appSecret: process.env.BROKERWIRE_APP_SECRET ?? '',
  // Set these two variables for a local simulator only.
  overrides: { baseUrl: process.env.BROKERWIRE_BASE_URL, eventsUrl: process.env.BROKERWIRE_EVENTS_URL },
  backfill: { intervalMs: 300_000 },
})
await brokerage.accessTokens.get()
const stream = brokerage.tradeEvents({ accounts })
// `return()` ends the loop below, like `break`.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stream.return())

for await (const item of stream) {
  if (item.type === 'state') {
    // Not an event: the changes between the last item of this order and the state are not known.
    console.log(`state: ${item.clientOrderId} ${item.status}, ${item.filledQuantity} filled`)
  } else if (item.type === 'notice') {
    if (item.kind === 'missed-events') console.log(`missed: ${item.missing} changes`)
    if (item.kind === 'backfill-incomplete') console.log('incomplete:', item.problems)
  } else if (item.type === 'event' && item.kind === 'order') {
    const event = item.decode()
    if (event.ok) console.log(`event: ${event.value.clientOrderId} ${event.value.orderStatus}`)
  }
}
