/**
 * A Worker whose access token is kept by a Durable Object, shared by all isolates everywhere.
 *
 * Each request makes its own brokerage: what one request waits for cannot be awaited by another, and everything that
 * lasts is in the store. Nobody waits for a second factor here: a request that comes after it was given finds out.
 */

import { isBrokerwireError } from '@brokerwire/core'
import type { Environment, Region } from '@brokerwire/core/endpoints'
import { createBrokerage, type EdgeBrokerage, rateLimiter } from '@brokerwire/edge'
import { createDurableObjectStore, type DurableNamespaceLike } from '@brokerwire/stores/durable-object'
import { isTokensError } from '@brokerwire/tokens'

export { StoreObject } from '@brokerwire/stores/durable-object'

/**
 * The Worker's bindings. The key and the secret are set with `wrangler secret put`. `wrangler types` writes an `Env` of the
 * same names: with it, delete this one.
 */
export interface Env {
  readonly STORE: DurableNamespaceLike
  readonly REGION: string
  readonly ENVIRONMENT: string
  readonly APP_KEY: string
  readonly APP_SECRET: string
  /** Origin of a local service. Empty or absent: the service's own. */
  readonly BASE_URL?: string
  /** The shortest interval between two questions about the second factor. Empty or absent: the default. */
  readonly POLL_INTERVAL_MS?: number | string
}

const BINDINGS = ['STORE', 'REGION', 'ENVIRONMENT', 'APP_KEY', 'APP_SECRET'] as const

function refuse(error: unknown): Response {
  if (isTokensError(error, 'TOKEN_PENDING')) {
    const deadline = new Date(error.details.deadlineMs).toISOString()
    return Response.json({ code: error.code, deadline }, { status: 503 })
  }
  if (!isBrokerwireError(error)) throw error
  // For the log: messages name the option and never hold a secret. A visitor is told the code.
  if (!error.retryable) console.error(`${error.code}: ${error.message}`)
  return Response.json({ code: error.code }, { status: error.retryable ? 503 : 500 })
}

const worker = {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (new URL(request.url).pathname !== '/config') return new Response(null, { status: 404 })
    // What was forgotten is absent, whatever its type says.
    const missing = BINDINGS.filter((name) => !env[name])
    if (missing.length > 0) return Response.json({ code: 'BINDING_MISSING', missing }, { status: 500 })
    let brokerage: EdgeBrokerage | undefined
    try {
      brokerage = createBrokerage({
        // Any text may be configured: createBrokerage() refuses other values.
        region: env.REGION as Region,
        environment: env.ENVIRONMENT as Environment,
        appKey: env.APP_KEY,
        appSecret: env.APP_SECRET,
        store: createDurableObjectStore({ namespace: env.STORE }),
        // All isolates together keep within the service's limit of token calls.
        plugins: [rateLimiter()],
        overrides: { baseUrl: env.BASE_URL || undefined },
        tokens: { pollIntervalMs: env.POLL_INTERVAL_MS ? Number(env.POLL_INTERVAL_MS) : undefined },
      })
      await brokerage.accessTokens.get({ wait: false, signal: request.signal })
      const config = await brokerage.http.request({ method: 'GET', path: '/openapi/config' })
      return Response.json(config.json())
    } catch (error) {
      return refuse(error)
    } finally {
      await brokerage?.close()
    }
  },
}

// biome-ignore lint/style/noDefaultExport: a Worker's handlers are its default export
export default worker
