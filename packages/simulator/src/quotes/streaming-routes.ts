/** Adds the HTTP endpoints of market data, in both path families. */
import type { Context, Hono, MiddlewareHandler } from 'hono'
import { jsonObject } from '../http/json-object.ts'
import { type HttpEnv, respondWithError } from '../http/responses.ts'
import type { HttpGates } from '../server/plugin.ts'
import type { QuotesService } from './quotes-service.ts'
import { STREAMING_PREFIXES } from './streaming-calls.ts'

export function addStreamingRoutes(app: Hono<HttpEnv>, quotes: QuotesService, gates: HttpGates): void {
  const authenticated: MiddlewareHandler<HttpEnv> = (c, next) =>
    quotes.settings.tokenRequired ? gates.authenticated(c, next) : next()
  const serve =
    (action: 'subscribe' | 'unsubscribe') =>
    (c: Context<HttpEnv>): Response => {
      const body = jsonObject(c.get('body'))
      if (body === undefined)
        return respondWithError(c, 417, 'OPENAPI_PARAM_ERR', 'the request body must be a JSON object')
      const rejection = quotes.call(action, c.get('appKey'), body)
      // A successful response has no body.
      return rejection === undefined
        ? c.body(null, 200)
        : respondWithError(c, rejection.status, rejection.code, rejection.message)
    }
  for (const prefix of STREAMING_PREFIXES) {
    for (const action of ['subscribe', 'unsubscribe'] as const) {
      app.post(`${prefix}/${action}`, gates.signed, authenticated, serve(action))
    }
  }
}
