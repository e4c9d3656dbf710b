/** The signature of one attempt: takes a token, and signs anew. */
import { type AbortSignalLike, createRedactor, type Redactor } from '@brokerwire/core'
import type { ReadOptions } from './client-options.ts'
import { type Prepared, requireToken } from './prepare.ts'

/** A request that was signed. */
export interface SignedAttempt {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The token it carries, where it came from the client's own source. */
  readonly ownToken: string | undefined
  /** The offset of the service's clock when it was signed. */
  readonly offsetMs: number | undefined
  /** Takes the secrets of this request out of what the service says. */
  readonly redact: Redactor
}

/** Rejects with what the token source and the signer throw. */
export async function signAttempt(
  options: ReadOptions,
  prepared: Prepared,
  signal: AbortSignalLike | undefined,
): Promise<SignedAttempt> {
  const { details, body, token, query } = prepared
  const own = token === 'own' ? await options.accessTokens?.get({ signal }) : undefined
  const ownToken = own && requireToken(own.token)
  const tokenText = typeof token === 'object' ? token.text : ownToken
  const offsetMs = options.serverClock?.offsetMs
  const { scheme, host } = options
  const { url, headers } = await options.signer.sign({
    scheme,
    host,
    path: details.path,
    query,
    body: body.bytes,
  })
  return {
    url,
    headers: {
      ...prepared.headers,
      ...headers,
      ...(tokenText !== undefined && { 'x-access-token': tokenText }),
    },
    ownToken,
    offsetMs,
    redact: createRedactor([...body.secrets, tokenText ?? '', headers['x-signature']]),
  }
}
