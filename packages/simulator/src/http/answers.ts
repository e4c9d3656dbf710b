/** Answers of the HTTP endpoints: records and errors, in the shapes of the documents. */
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { ReceivedBody } from '../receive-body.ts'
import type { RequestDiagnosis } from '../request-log.ts'
import type { RouteMatch } from '../routes/route-table.ts'
import type { AccessTokenView } from '../tokens/access-tokens.ts'
import type { ClientTokenPair } from '../tokens/client-tokens.ts'

/** What handlers share. */
export interface HttpEnv {
  Bindings: HttpBindings
  Variables: {
    /** Set once the signature was right. */
    appKey: string
    /** The request's instant: one reading of the clock, once it was received whole. */
    nowMs: number
    /** The body as it arrived. */
    body: Uint8Array
    errorCode: string | undefined
    /** What the check of the signature found, where that was asked for. */
    diagnosis: RequestDiagnosis | undefined
    requestId: string
    /** Set where an endpoint of the caller's own answers. */
    route: RouteMatch
  }
}

/** How expiries are written: the documents' name, the public clients' name, or both; as a number or as text. */
export interface ExpiryForm {
  readonly expiryField: 'expires_at' | 'expires' | 'both'
  readonly expiryAsText: boolean
}

/** The documented error body. */
export function refuse(
  c: Context<HttpEnv>,
  status: ContentfulStatusCode,
  code: string,
  message: string,
): Response {
  c.set('errorCode', code)
  return c.json({ error_code: code, message }, status)
}

/** The answer to a body that was not received. */
export function refuseBody(c: Context<HttpEnv>, why: Exclude<ReceivedBody, Uint8Array>): Response {
  return why === 'busy'
    ? refuse(c, 503, 'SYSTEM_ERROR', 'the simulator holds too many requests at once')
    : refuse(c, 417, 'INVALID_PARAMETER', 'the request body is too large')
}

/** An access token record. */
export function accessTokenBody(view: AccessTokenView, form: ExpiryForm): Record<string, unknown> {
  const expiry = form.expiryAsText ? String(view.expiresAtMs) : view.expiresAtMs
  return {
    token: view.token,
    ...(form.expiryField === 'expires' ? {} : { expires_at: expiry }),
    ...(form.expiryField === 'expires_at' ? {} : { expires: expiry }),
    status: view.status,
  }
}

/** A client token pair. */
export function clientTokenBody(pair: ClientTokenPair, form: ExpiryForm): Record<string, unknown> {
  const write = (value: number): number | string => (form.expiryAsText ? String(value) : value)
  return {
    access_token: pair.accessToken,
    expires_at: write(pair.expiresAtMs),
    refresh_token: pair.refreshToken,
    refresh_expires_at: write(pair.refreshExpiresAtMs),
  }
}
