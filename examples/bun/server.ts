/**
 * A server for Bun. `GET /prices/AAPL` returns the price of a stock. It listens on the loopback interface, because it does not authorize callers.
 *
 *     bun server.ts
 */
import { createBrokerage } from '@brokerwire/edge'
import { listSnapshots } from '@brokerwire/operations'
import { decimalToPlain } from '@brokerwire/payloads'
import { readSettings } from '../settings.ts'

const options = { category: 'US_STOCK', extendHourRequired: false, overnightRequired: false } as const
const brokerage = createBrokerage(readSettings())

const server = {
  hostname: '127.0.0.1',
  port: Number(process.env.PORT ?? 8080),
  async fetch(request: Request): Promise<Response> {
    const symbol = /^\/prices\/(\w+)$/.exec(new URL(request.url).pathname)?.[1]
    if (symbol === undefined) return new Response(null, { status: 404 })
    const { data } = await brokerage.http.request(listSnapshots, { symbols: [symbol], ...options })
    const price = data[0]?.price
    return price ? Response.json({ price: decimalToPlain(price) }) : new Response(null, { status: 404 })
  },
}

// biome-ignore lint/style/noDefaultExport: Bun serves the default export
export default server
