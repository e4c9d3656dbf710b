/**
 * A handler for AWS Lambda with a function URL (payload 2.0). `GET /AAPL` returns the price of a stock. Give the URL the authorization type
 * AWS_IAM, because the handler does not authorize callers. For the file `handler.cjs`, set the format to `cjs`:
 *
 *     esbuild handler.ts --bundle --platform=node --target=node20 --format=esm --outfile=handler.mjs
 */
import { isBrokerwireError } from '@brokerwire/core'
import { createBrokerage } from '@brokerwire/edge'
import { listSnapshots } from '@brokerwire/operations'
import { decimalToPlain } from '@brokerwire/payloads'
import { readSettings } from '../settings.ts'

const respond = (statusCode: number, body: object) => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

// A warm instance keeps it, with its access token. In production, pass a `store` that all instances share.
const brokerage = createBrokerage(readSettings())
const options = { category: 'US_STOCK', extendHourRequired: false, overnightRequired: false } as const

/** @param event - `APIGatewayProxyEventV2` of `@types/aws-lambda`. */
export async function handler(event: { readonly rawPath: string }) {
  try {
    const symbols = [event.rawPath.slice(1)]
    const { data } = await brokerage.http.request(listSnapshots, { symbols, ...options })
    const price = data[0]?.price
    return price ? respond(200, { price: decimalToPlain(price) }) : respond(404, { error: 'unknown symbol' })
  } catch (error) {
    if (!isBrokerwireError(error)) throw error
    return respond(error.retryable ? 503 : 502, { error: error.code })
  }
}
