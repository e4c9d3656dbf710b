/** Second stage: gets the current token, and signs the request. Each attempt has its own nonce and timestamp. */
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

/** The token that one attempt carries. */
interface AttemptToken {
  /** The token as a header carries it. `undefined` if the request needs none. */
  readonly text: string | undefined
  /** The token of the client's token provider. `undefined` if the request has its own token or needs none. */
  readonly provided: Secret | undefined
}

/** Gets the token of one attempt. This may take minutes. Rejects with errors of the token provider. */
export async function getToken(
  { accessTokens }: ClientSettings,
  { authenticated, accessToken, signal }: NormalizedRequest,
): Promise<AttemptToken> {
  const needsToken = authenticated && accessToken === undefined
  const provided = needsToken ? await accessTokens?.get({ signal }) : undefined
  if (provided === undefined) return { text: accessToken, provided }
  return { text: requireToken(provided.token), provided: provided.token }
}

/** Signs one attempt. Rejects with errors of the signer. */
export async function sign(
  settings: ClientSettings,
  request: NormalizedRequest,
  token: AttemptToken,
): Promise<SignedRequest> {
  const { target, query, body } = request
  const clockOffsetMs = settings.serverClock?.offsetMs
  const { scheme, host } = settings
  const { url, headers } = await settings.signer.sign({ scheme, host, path: target.path, query, body })
  return {
    url,
    headers: {
      ...request.headers,
      ...headers,
      ...(token.text !== undefined && { 'x-access-token': token.text }),
    },
    providedToken: token.provided,
    clockOffsetMs,
    redact: createRedactor([...request.secrets, token.text ?? '', headers['x-signature']]),
  }
}
