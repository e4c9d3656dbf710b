/**
 * Places an order once, even if the response is lost, at a service that places only one order for each id.
 *
 * The program creates a `client_order_id` before it sends the order, and each retry has the same id. So the client may
 * send the POST again after a lost response, and does so with `retry: 'always'`. No document states that the service
 * places only one order for each id: the journal in `journal.ts` does not rely on it. If your process may crash in
 * between, store the id before you send, and pass it as an argument.
 *
 * Take path and fields of the request from your service's documents. The path and fields here are those of
 * `place-order.test.ts`.
 */
import { randomUUID } from 'node:crypto'
import { createBrokerage } from '@brokerwire/edge'
import { endWith } from './end-with.ts'
import { readSettings } from './settings.ts'

const [account = process.env.BROKERWIRE_ACCOUNTS?.split(',')[0], name = randomUUID().replaceAll('-', '')] =
  process.argv.slice(2)

try {
  await using brokerage = createBrokerage(readSettings())
  await brokerage.accessTokens.get()
  const answer = await brokerage.http.request({
    method: 'POST',
    path: '/openapi/orders',
    json: { account_id: account, client_order_id: name, symbol: 'AAPL', side: 'BUY', qty: '10' },
    retry: 'always',
  })
  console.log(`order ${name}: ${answer.status} ${answer.text()}`)
} catch (error) {
  endWith(error)
}
