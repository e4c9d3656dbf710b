/**
 * The HTTP interface of a gateway for browser pages. The app secret and the access token stay here: a page makes the calls
 * that are listed below, and follows events.
 *
 *     GET  /calls/config                    the service's configuration
 *     POST /calls/orders   {"account":...}  places an order
 *     GET  /events                          events of the user's accounts, as Server-Sent Events
 */

import { isBrokerwireError } from '@brokerwire/core'
import type { EdgeBrokerage } from '@brokerwire/edge'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import type { EventFeed } from './event-feed.ts'

/** A user of your application. */
export interface User {
  /** The accounts that the user may see and trade. Never take them from the request. */
  readonly accounts: ReadonlySet<string>
}

export interface GatewayOptions {
  readonly brokerage: Pick<EdgeBrokerage, 'accessTokens' | 'http'>
  readonly feed: EventFeed
  /** The only origin whose pages are served, for example `https://app.example.com`. */
  readonly origin: string
  /**
   * Your sign-in: returns the user of a request, for example by the cookie of a session. For `undefined` the
   * response is 401.
   */
  readonly authenticate: (request: Request) => User | undefined | Promise<User | undefined>
}

interface Env {
  readonly Bindings: HttpBindings
  readonly Variables: { user: User }
}

const text = (value: unknown, pattern: RegExp): string | undefined =>
  typeof value === 'string' && pattern.test(value) ? value : undefined

/**
 * Creates the gateway.
 *
 * @throws TypeError without `authenticate`, because everyone could use your account.
 */
export function createGateway({ brokerage, feed, origin, authenticate }: GatewayOptions): Hono<Env> {
  if (typeof authenticate !== 'function')
    throw new TypeError('authenticate must be a function: the gateway serves only signed-in users')
  if (!URL.canParse(origin) || new URL(origin).origin !== origin)
    throw new TypeError('origin must be an origin, such as "https://app.example.com"')

  const app = new Hono<Env>()
  app.use(async (c, next) => {
    await next()
    c.header('cache-control', 'no-store')
  })
  // Browsers also send cookies with requests from pages of other sites. The `Origin` header shows such
  // requests, which are rejected.
  app.use(async (c, next) => {
    const from = c.req.header('origin') ?? (c.req.method === 'GET' ? origin : undefined)
    return from === origin ? next() : c.json({ code: 'ORIGIN_REFUSED' }, 403)
  })
  app.use(cors({ origin, credentials: true, allowMethods: ['GET', 'POST'], allowHeaders: ['content-type'] }))
  app.use(async (c, next) => {
    const user = await authenticate(c.req.raw)
    if (user === undefined) return c.json({ code: 'SIGN_IN' }, 401)
    c.set('user', user)
    return next()
  })

  /** Signs and sends a request of the allow-list. The body is returned as received, so that no decimal becomes a float. */
  async function send(c: Context<Env>, request: Parameters<typeof brokerage.http.request>[0]) {
    // While a person must confirm the access token, calls fail immediately instead of waiting.
    await brokerage.accessTokens.get({ wait: false })
    const response = await brokerage.http.request(request)
    return c.body(response.text(), 200, { 'content-type': 'application/json' })
  }

  // The allow-list. Each call builds its request from checked values: never forward a path or a body as the page sent it.
  // Paths and fields are those of your service's documents.
  app.get('/calls/config', (c) => send(c, { method: 'GET', path: '/openapi/config' }))
  const limit = bodyLimit({ maxSize: 10_000, onError: (c) => c.json({ code: 'BODY_TOO_LARGE' }, 413) })
  app.post('/calls/orders', limit, async (c) => {
    const body: unknown = await c.req.json().catch(() => undefined)
    const given: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {}
    const account = text(given.account, /^.{1,64}$/)
    // The page creates the id, so that it can send the same order again after a lost response.
    const client_order_id = text(given.id, /^[\w-]{8,40}$/)
    const symbol = text(given.symbol, /^[A-Z.]{1,12}$/)
    const side = text(given.side, /^(BUY|SELL)$/)
    const qty = text(given.qty, /^\d{1,9}(\.\d{1,9})?$/)
    if (!account || !client_order_id || !symbol || !side || !qty)
      return c.json({ code: 'ORDER_INVALID' }, 400)
    if (!c.get('user').accounts.has(account)) return c.json({ code: 'ACCOUNT_REFUSED' }, 403)
    const json = { account_id: account, client_order_id, symbol, side, qty }
    return send(c, { method: 'POST', path: '/openapi/orders', json })
  })

  app.get('/events', (c) => {
    const body = feed.connect({
      accounts: c.get('user').accounts,
      lastEventId: c.req.header('last-event-id'),
      disconnect: () => c.env.outgoing.destroy(),
    })
    if (body === undefined) return c.json({ code: 'TOO_MANY_PAGES' }, 503)
    // The header `x-accel-buffering` makes nginx forward events immediately, without buffering.
    return c.body(body, 200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
  })

  app.onError((error, c) => {
    if (!isBrokerwireError(error)) {
      console.error(error)
      return c.json({ code: 'UNKNOWN' }, 500)
    }
    console.error(`${error.code}: ${error.message}`)
    return c.json({ code: error.code }, error.retryable ? 503 : 502)
  })
  return app
}
