/**
 * Places an order so that it is placed once, whatever happens to the answer.
 *
 * The order is named before it is sent: `client_order_id` is drawn once and goes out with every retry, and the service
 * places an order of one name once. So the POST may be sent again after a lost answer, which the client does for
 * `retry: 'always'` alone. A process that may die in between keeps the name before it sends: give it as an argument.
 *
 * Path and fields of the request are those of your service's documents; these here are `place-order.test.ts`'s.
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
