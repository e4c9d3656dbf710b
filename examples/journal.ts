/**
 * Places an order through a journal. If the program is killed, start it again with the same identifier: it reports what became of
 * the order, and does not place a second one.
 *
 * The journal is in the directory `BROKERWIRE_JOURNAL`, which outlives the process.
 */
import { createBrokerage } from '@brokerwire/client'
import { listAccounts } from '@brokerwire/operations'
import { createOrderJournal, type OrderEntry } from '@brokerwire/orders'
import { createFileStore } from '@brokerwire/stores/file'

/** The same for the same order, also after a restart. With a new identifier, the program would place a second order. */
const [clientOrderId = 'order-1'] = process.argv.slice(2)
const directory = process.env.BROKERWIRE_JOURNAL ?? '.journal'

function print({ clientOrderId: id, state, source, reason }: OrderEntry): void {
  console.log(`order ${id}: ${state} (${reason?.code ?? source ?? 'no query has it'})`)
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
await using journal = createOrderJournal({ store: createFileStore({ directory }), http })

// Finds out what became of the orders of an earlier process, without placing an order.
const { entries } = await journal.recover({ waitMs: 35_000 })
for (const entry of entries) print(entry)

const accountId = (await http.request(listAccounts, {})).data[0]?.accountId
console.log('placing the order')
const entry = await journal.place({
  accountId,
  newOrders: [
    {
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
    },
  ],
})
print(entry)
