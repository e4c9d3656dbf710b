/**
 * A Cloudflare Worker that previews, places, follows, changes and cancels an order with typed requests, as `order-flow.ts` does in Node. A
 * Worker cannot open event streams, which are gRPC over HTTP/2, so it reads the order after each step.
 */
import { createBrokerage, operationRateLimiter } from '@brokerwire/edge'
import {
  cancelOrder,
  getOrder,
  listAccounts,
  type NewOrder,
  placeOrder,
  previewOrder,
  replaceOrder,
} from '@brokerwire/operations'

/** The Worker's bindings. Secrets are set with `wrangler secret put`. */
export interface Env {
  readonly APP_KEY: string
  readonly APP_SECRET: string
  /** The token of callers, in `Authorization: Bearer ...`. */
  readonly CALLER_TOKEN: string
  /**
   * Origin of the service.
   * @defaultValue the origin of the sandbox in the US region
   */
  readonly BASE_URL?: string | undefined
}

/** Runs the whole flow, and returns the results of its steps that are of interest to a person. */
async function runOrderFlow({ APP_KEY, APP_SECRET, BASE_URL }: Env) {
  await using brokerage = createBrokerage({
    region: 'us',
    environment: 'sandbox',
    appKey: APP_KEY,
    appSecret: APP_SECRET,
    overrides: { baseUrl: BASE_URL },
    plugins: [operationRateLimiter()],
  })
  const { http } = brokerage
  const accountId = (await http.request(listAccounts, {})).data[0]?.accountId ?? ''
  const clientOrderId = crypto.randomUUID().replaceAll('-', '')
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
  const readOrder = async () => {
    const { status, totalQuantity } =
      (await http.request(getOrder, { accountId, clientOrderId })).data.orders[0] ?? {}
    return `${status}, ${totalQuantity} shares`
  }
  const { estimatedCost } = (await http.request(previewOrder, { accountId, newOrders: [order] })).data
  await http.request(placeOrder, { accountId, newOrders: [order] })
  const placed = await readOrder()
  await http.request(replaceOrder, { accountId, modifyOrders: [{ clientOrderId, quantity: '3' }] })
  const replaced = await readOrder()
  await http.request(cancelOrder, { accountId, clientOrderId })
  return { estimatedCost, placed, replaced, cancelled: await readOrder() }
}

const digest = async (text: string): Promise<string> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).join()

/**
 * Whether the request has the token of callers. Digests are compared, so that the duration reveals nothing
 * about the token. If `CALLER_TOKEN` is not set, every caller is rejected.
 */
async function isCaller(request: Request, { CALLER_TOKEN }: Env): Promise<boolean> {
  const given = request.headers.get('authorization') ?? ''
  return Boolean(CALLER_TOKEN) && (await digest(given)) === (await digest(`Bearer ${CALLER_TOKEN}`))
}

const worker = {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (!(await isCaller(request, env))) return Response.json({ error: 'unknown caller' }, { status: 401 })
    if (request.method !== 'POST') return Response.json({ error: 'use POST' }, { status: 405 })
    return Response.json(await runOrderFlow(env))
  },
}

// biome-ignore lint/style/noDefaultExport: a Worker's handlers are its default export
export default worker
