/** An operation that the table lacks: it is defined, answered by a route of the simulator, and requested. */
import { createHttpClient } from '@brokerwire/http'
import { createAccessToken, defineOperation, field } from '@brokerwire/operations'
import { array, decimal, object, optional, string } from '@brokerwire/payloads'
import { createSigner } from '@brokerwire/signer'
import { jsonResponse, startSimulator } from '@brokerwire/simulator'

const listExecutions = defineOperation(
  {
    name: 'orders.executions',
    method: 'GET',
    paths: { current: '/trading/orders/executions/list' },
    fields: {
      accountId: field.string(), // account_id on the wire
      clientOrderId: field.optional(field.string()),
      startDate: field.optional(field.date),
      pageSize: field.optional(field.integer(1, 100)),
    },
    retry: 'always',
    rateLimits: { us: { limit: 2, windowMs: 2000 } },
    sources: ['reference page of the HK region, 2026-08-08'],
    confidence: 'documented',
  },
  array(
    object({
      executionId: string, // execution_id on the wire
      symbol: string,
      filledQuantity: decimal,
      filledPrice: optional(decimal),
    }),
  ),
)

const simulator = await startSimulator({ environment: 'sandbox' })
simulator.route('GET', '/trading/orders/executions/list', ({ query }) => {
  console.log('query:', query)
  return jsonResponse([
    { execution_id: 'E1', symbol: 'AAPL', filled_quantity: '10', filled_price: '187.30', side: 'BUY' },
  ])
})
try {
  const http = createHttpClient({ baseUrl: simulator.baseUrl, signer: createSigner(simulator.credentials) })
  const { data: created } = await http.request(createAccessToken, {})
  const options = { accessToken: created.token }
  const { data } = await http.request(listExecutions, { accountId: 'A1', startDate: '2026-11-02' }, options)
  for (const { symbol, filledQuantity, filledPrice, extra } of data)
    console.log(`${filledQuantity} ${symbol} at ${filledPrice}, other fields:`, { ...extra })
} finally {
  await simulator.close()
}
