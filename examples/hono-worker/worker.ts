/** A Cloudflare Worker with Hono. `GET /prices/AAPL` returns the price of a stock to callers that know `CALLER_TOKEN`. */
import { createBrokerage, type EdgeBrokerage } from '@brokerwire/edge'
import { listSnapshots } from '@brokerwire/operations'
import { decimalToPlain } from '@brokerwire/payloads'
import { Hono } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'

/** The bindings. Set the first three with `wrangler secret put`, and the origin of the service only for a local one. */
type Bindings = Readonly<Record<'APP_KEY' | 'APP_SECRET' | 'CALLER_TOKEN', string> & { BASE_URL?: string }>
type Env = { Bindings: Bindings }

const options = { category: 'US_STOCK', extendHourRequired: false, overnightRequired: false } as const
/** One brokerage for all requests of this isolate. */
let brokerage: EdgeBrokerage | undefined

const open = ({ APP_KEY: appKey, APP_SECRET: appSecret, BASE_URL: baseUrl }: Bindings): EdgeBrokerage =>
  createBrokerage({ region: 'us', environment: 'sandbox', appKey, appSecret, overrides: { baseUrl } })

const app = new Hono<Env>()

app.use(async (c, next) => {
  if (!c.env.CALLER_TOKEN) return c.json({ error: 'CALLER_TOKEN is not set' }, 500)
  return bearerAuth<Env>({ token: c.env.CALLER_TOKEN })(c, next)
})

app.get('/prices/:symbol', async (c) => {
  brokerage ??= open(c.env)
  const { data } = await brokerage.http.request(listSnapshots, {
    symbols: [c.req.param('symbol')],
    ...options,
  })
  const price = data[0]?.price
  return price ? c.json({ price: decimalToPlain(price) }) : c.notFound()
})

// biome-ignore lint/style/noDefaultExport: a Worker's handlers are its default export
export default app
