/** Reads the accounts, their positions, and the orders of the last seven days with typed requests. */
import { createBrokerage, operationRateLimiter } from '@brokerwire/edge'
import { isHttpError } from '@brokerwire/http'
import { listAccounts, listOrderHistory, listPositions, paginate } from '@brokerwire/operations'

const { http } = createBrokerage({
  region: 'us',
  environment: 'sandbox',
  appKey: process.env.BROKERWIRE_APP_KEY ?? '',
  appSecret: process.env.BROKERWIRE_APP_SECRET ?? '',
  // Set this variable for a local simulator only.
  overrides: { baseUrl: process.env.BROKERWIRE_BASE_URL },
  // Each request waits until the limit of its operation allows it.
  plugins: [operationRateLimiter()],
})

const startTime = new Date(Date.now() - 7 * 86_400_000).toISOString()
try {
  const { data: accounts } = await http.request(listAccounts, {})
  for (const { accountId } of accounts) {
    const { data: positions, issues } = await http.request(listPositions, { accountId })
    console.log(`account ${accountId}: ${positions.length} positions`)
    // Optional values that could not be decoded. They are `undefined` above, and in `extra` as received.
    for (const issue of issues) console.log('not decoded:', issue)

    for await (const group of paginate(http, listOrderHistory, { accountId, startTime }))
      for (const { clientOrderId, symbol, status, filledQuantity } of group.orders)
        console.log(`${clientOrderId}: ${symbol} ${status}, ${filledQuantity ?? '0'} filled`)
  }
} catch (error) {
  if (!isHttpError(error)) throw error
  console.error(error.code, error.message)
  process.exitCode = 1
}
