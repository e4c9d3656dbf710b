/**
 * A Worker that shares its access token with the Node services of `service.ts`, in one Postgres table. It
 * connects through Hyperdrive. The first program that needs the token creates it, and a person confirms it
 * once.
 *
 * Each request has its own connection and brokerage, because a Worker's request cannot wait for the I/O of
 * another request. Requests do not wait for the second factor; a request after the confirmation uses the
 * token. The services create the table.
 */
import { isBrokerwireError } from '@brokerwire/core'
import { createBrokerage, type EdgeBrokerage, rateLimiter } from '@brokerwire/edge'
import { createPostgresStore } from '@brokerwire/stores/postgres'
import { isTokensError } from '@brokerwire/tokens'
import { Client } from 'pg'

/** The Worker's bindings. The secret is set with `wrangler secret put`. */
export interface Env {
  /** Hyperdrive without its cache, because a cached read could return an older token. */
  readonly DATABASE: { readonly connectionString: string }
  readonly REGION: 'us' | 'hk'
  readonly ENVIRONMENT: 'sandbox' | 'production'
  readonly APP_KEY: string
  readonly APP_SECRET: string
  /** Origin of a local service. Omit it for the real service. */
  readonly BASE_URL?: string
  /** Minimum interval between checks for the second factor, in milliseconds. From `.dev.vars` it is a string. */
  readonly POLL_INTERVAL_MS?: number | string
}

function refuse(error: unknown): Response {
  if (isTokensError(error, 'TOKEN_PENDING')) {
    const deadline = new Date(error.details.deadlineMs).toISOString()
    return Response.json({ code: error.code, deadline }, { status: 503 })
  }
  // The database cannot be reached. The message is not sent, because messages of pg contain hosts and users.
  if (!isBrokerwireError(error)) return Response.json({ code: 'DATABASE_UNAVAILABLE' }, { status: 503 })
  // The message is for the log; it never has a secret. The client gets only the code.
  if (!error.retryable) console.error(`${error.code}: ${error.message}`)
  return Response.json({ code: error.code }, { status: error.retryable ? 503 : 500 })
}

const worker = {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (new URL(request.url).pathname !== '/config') return new Response(null, { status: 404 })
    const client = new Client({
      connectionString: env.DATABASE.connectionString,
      connectionTimeoutMillis: 5000,
    })
    // Without this listener, a broken connection fails the request with another error.
    client.on('error', () => {})
    let brokerage: EdgeBrokerage | undefined
    try {
      await client.connect()
      brokerage = createBrokerage({
        region: env.REGION,
        environment: env.ENVIRONMENT,
        appKey: env.APP_KEY,
        appSecret: env.APP_SECRET,
        store: createPostgresStore({ client }),
        // All isolates and services together stay within the service's rate limit of token calls.
        plugins: [rateLimiter()],
        overrides: { baseUrl: env.BASE_URL },
        tokens: { pollIntervalMs: env.POLL_INTERVAL_MS ? Number(env.POLL_INTERVAL_MS) : undefined },
      })
      await brokerage.accessTokens.get({ wait: false, signal: request.signal })
      const config = await brokerage.http.request({ method: 'GET', path: '/openapi/config' })
      return Response.json(config.json())
    } catch (error) {
      return refuse(error)
    } finally {
      await brokerage?.close()
      await client.end()
    }
  },
}

// biome-ignore lint/style/noDefaultExport: a Worker's handlers are its default export
export default worker
