/**
 * A Worker that keeps its access token in a Durable Object, which all isolates share.
 *
 * Each request creates its own brokerage, because a Worker's request cannot wait for the I/O of another. All state is in the store.
 * Requests do not wait for the second factor; a request after the confirmation uses the token.
 */

import { isBrokerwireError } from '@brokerwire/core'
import type { Environment, Region } from '@brokerwire/core/endpoints'
import { createBrokerage, type EdgeBrokerage, rateLimiter } from '@brokerwire/edge'
import { createDurableObjectStore, type DurableNamespaceLike } from '@brokerwire/stores/durable-object'
import { isTokensError } from '@brokerwire/tokens'

export { StoreObject } from '@brokerwire/stores/durable-object'

/**
 * The Worker's bindings. Set app key and secret with `wrangler secret put`. `wrangler types` generates an `Env` with the same names; if
 * you use that, delete this one.
 */
export interface Env {
  readonly STORE: DurableNamespaceLike
  readonly REGION: string
  readonly ENVIRONMENT: string
  readonly APP_KEY: string
  readonly APP_SECRET: string
  /** Origin of a local service. Empty or absent for the real service. */
  readonly BASE_URL?: string
  /** Minimum interval between checks for the second factor, in milliseconds. Empty or absent for the default. */
  readonly POLL_INTERVAL_MS?: number | string
}

const BINDINGS = ['STORE', 'REGION', 'ENVIRONMENT', 'APP_KEY', 'APP_SECRET'] as const

function refuse(error: unknown): Response {
  if (isTokensError(error, 'TOKEN_PENDING')) {
    const deadline = new Date(error.details.deadlineMs).toISOString()
    return Response.json({ code: error.code, deadline }, { status: 503 })
  }
  if (!isBrokerwireError(error)) throw error
  // The message is for the log; it never has a secret. The client gets only the code.
  if (!error.retryable) console.error(`${error.code}: ${error.message}`)
  return Response.json({ code: error.code }, { status: error.retryable ? 503 : 500 })
}

const worker = {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (new URL(request.url).pathname !== '/config') return new Response(null, { status: 404 })
    // A binding that was not set is absent, although its type is `string`.
    const missing = BINDINGS.filter((name) => !env[name])
    if (missing.length > 0) return Response.json({ code: 'BINDING_MISSING', missing }, { status: 500 })
    let brokerage: EdgeBrokerage | undefined
    try {
      brokerage = createBrokerage({
        // The binding may have any string; createBrokerage() rejects invalid ones.
        region: env.REGION as Region,
        environment: env.ENVIRONMENT as Environment,
        appKey: env.APP_KEY,
        appSecret: env.APP_SECRET,
        store: createDurableObjectStore({ namespace: env.STORE }),
        // All isolates together stay within the service's rate limit of token calls.
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
