/** Response bodies of the HTTP endpoints: token records and errors, as documented. */
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { ReceivedBody } from '../receive-body.ts'
import type { RequestDiagnosis } from '../request-log.ts'
import type { RouteMatch } from '../routes/route-table.ts'
import type { AccessTokenView } from '../tokens/access-token-repository.ts'
import type { ClientTokenPair } from '../tokens/client-token-repository.ts'

/** Variables that middleware passes to handlers. */
export interface HttpEnv {
  Bindings: HttpBindings
  Variables: {
    /** Set after the signature was verified. */
    appKey: string
    /** Time of the request: the clock is read once, after the whole request was received. */
    nowMs: number
    /** The body as it was received. */
    body: Uint8Array
    errorCode: string | undefined
    /** Result of the signature check, if diagnoses are enabled. */
    diagnosis: RequestDiagnosis | undefined
    requestId: string
    /** Set if a route of the user handles the request. */
    route: RouteMatch
  }
}

/**
 * Format of expiries. The field has the documented name (`expires_at`), the name of the public clients
 * (`expires`), or both; its value is a number or a string.
 */
export interface ExpiryFormat {
  readonly expiryField: 'expires_at' | 'expires' | 'both'
  readonly expiryAsString: boolean
}

/** Responds with the documented error body. */
export function respondWithError(
  c: Context<HttpEnv>,
  status: ContentfulStatusCode,
  code: string,
  message: string,
): Response {
  c.set('errorCode', code)
  return c.json({ error_code: code, message }, status)
}

/** Responds to a request whose body was not received completely. */
export function respondToBodyError(c: Context<HttpEnv>, why: Exclude<ReceivedBody, Uint8Array>): Response {
  return why === 'busy'
    ? respondWithError(
        c,
        503,
        'SYSTEM_ERROR',
        'the simulator has too many requests in memory; try again later',
      )
    : respondWithError(
        c,
        417,
        'INVALID_PARAMETER',
        'the request body must not exceed the limit (maxRequestBytes)',
      )
}

/** Returns the response body for an access token. */
export function accessTokenBody(view: AccessTokenView, form: ExpiryFormat): Record<string, unknown> {
  const expiry = form.expiryAsString ? String(view.expiresAtMs) : view.expiresAtMs
  return {
    token: view.token,
    ...(form.expiryField === 'expires' ? {} : { expires_at: expiry }),
    ...(form.expiryField === 'expires_at' ? {} : { expires: expiry }),
    status: view.status,
  }
}

/** Returns the response body for a client token pair. */
export function clientTokenBody(pair: ClientTokenPair, form: ExpiryFormat): Record<string, unknown> {
  const write = (value: number): number | string => (form.expiryAsString ? String(value) : value)
  return {
    access_token: pair.accessToken,
    expires_at: write(pair.expiresAtMs),
    refresh_token: pair.refreshToken,
    refresh_expires_at: write(pair.refreshExpiresAtMs),
  }
}
