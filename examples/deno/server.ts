/**
 * A server for Deno. `GET /prices/AAPL` returns the price of a stock. It listens on the loopback interface, because it does not authorize callers.
 *
 *     deno serve --host 127.0.0.1 --allow-env --allow-net server.ts
 */
import { createBrokerage } from '@brokerwire/edge'
import { listSnapshots } from '@brokerwire/operations'
import { decimalToPlain } from '@brokerwire/payloads'
import { readSettings } from '../settings.ts'

const options = { category: 'US_STOCK', extendHourRequired: false, overnightRequired: false } as const
const brokerage = createBrokerage(readSettings())

const server = {
  async fetch(request: Request): Promise<Response> {
    const symbol = /^\/prices\/(\w+)$/.exec(new URL(request.url).pathname)?.[1]
    if (symbol === undefined) return new Response(null, { status: 404 })
    const { data } = await brokerage.http.request(listSnapshots, { symbols: [symbol], ...options })
    const price = data[0]?.price
    return price ? Response.json({ price: decimalToPlain(price) }) : new Response(null, { status: 404 })
  },
}

// biome-ignore lint/style/noDefaultExport: Deno serves the default export
export default server
