/** Second stage: gets the current token and signs the request. Each attempt has its own nonce and timestamp. */
import { createRedactor, type Redactor, type Secret } from '@brokerwire/core'
import type { ClientSettings } from './client-options.ts'
import { type NormalizedRequest, requireToken } from './normalize.ts'

/** A signed request: exactly this URL and these headers are sent. */
export interface SignedRequest {
  readonly url: string
  readonly headers: Record<string, string>
  /** The token of the client's token provider. `undefined` if the request has its own token or needs none. */
  readonly providedToken: Secret | undefined
  /** The clock offset that the timestamp includes, in milliseconds. */
  readonly clockOffsetMs: number | undefined
  /** Removes the secrets of this request from foreign text. */
  readonly redact: Redactor
}

/** Signs one attempt. Rejects with errors of the token provider and the signer. */
export async function sign(settings: ClientSettings, request: NormalizedRequest): Promise<SignedRequest> {
  const { target, query, body, authenticated, accessToken, signal } = request
  const needsToken = authenticated && accessToken === undefined
  const provided = needsToken ? await settings.accessTokens?.get({ signal }) : undefined
  const token = provided === undefined ? accessToken : requireToken(provided.token)
  const clockOffsetMs = settings.serverClock?.offsetMs
  const { scheme, host } = settings
  const { url, headers } = await settings.signer.sign({ scheme, host, path: target.path, query, body })
  return {
    url,
    headers: {
      ...request.headers,
      ...headers,
      ...(token !== undefined && { 'x-access-token': token }),
    },
    providedToken: provided?.token,
    clockOffsetMs,
    redact: createRedactor([...request.secrets, token ?? '', headers['x-signature']]),
  }
}
