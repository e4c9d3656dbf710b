/**
 * A route in the Edge runtime. `GET /edge/AAPL` returns the price of a stock. It does not authorize callers: add your own check. Next 16.4
 * still runs this runtime, and prints that it is deprecated.
 */
import { createBrokerage } from '@brokerwire/edge'
import { listSnapshots } from '@brokerwire/operations'
import { decimalToPlain } from '@brokerwire/payloads'
import { readSettings } from '../../../lib/settings.ts'

export const runtime = 'edge'

const options = { category: 'US_STOCK', extendHourRequired: false, overnightRequired: false } as const
const open = () => createBrokerage(readSettings())
/** One brokerage, with its access token, for all requests of this instance. */
let brokerage: ReturnType<typeof open> | undefined

export async function GET(_: Request, { params }: { readonly params: Promise<{ readonly symbol: string }> }) {
  brokerage ??= open()
  const symbols = [(await params).symbol]
  const { data } = await brokerage.http.request(listSnapshots, { symbols, ...options })
  const price = data[0]?.price
  return price ? Response.json({ price: decimalToPlain(price) }) : new Response(null, { status: 404 })
}
