/**
 * Signed requests with an access token that somebody else keeps: endpoint, signer and HTTP client, without the token's
 * lifecycle. It has half of the bytes, so a Worker that creates no token takes this one. The service's clock is a value
 * that a user hands over: a bundle without it does not hold it.
 */
import type { AbortSignalLike, Secret, SecretInput, ServerClock } from '@brokerwire/core'
import type { Endpoint } from '@brokerwire/core/endpoints'
import { type FieldsOf, func, readOptions, revealSecret } from '@brokerwire/core/internal'
import { createHttpClient, type HttpClient } from '@brokerwire/http'
import { HTTP_CLIENT_OPTIONS } from '@brokerwire/http/internal'
import type { Signer } from '@brokerwire/signer'
import { fail, SIGNING_OPTIONS, type SigningOptions, signing } from './signing.ts'

export type { SigningOptions } from './signing.ts'

/** Options of {@link createKeptTokenClient}. Region and environment have no default. Read once. */
export interface KeptTokenOptions extends SigningOptions {
  /**
   * The token as it is kept at this moment: asked before each authenticated request, and again after the service has
   * refused it. What it rejects with, the request rejects with. `undefined`: the service wants none.
   */
  readonly accessToken: (options: {
    readonly signal?: AbortSignalLike | undefined
  }) => Promise<SecretInput | undefined>
  /**
   * `createServerClock()` of `@brokerwire/core`, where the host's clock may be off: a refused timestamp corrects it, and
   * the request is sent once more. It takes the place of `clock` in signatures; make it of that where one is given. Without
   * it a refused timestamp is an HttpError `HTTP_UNAUTHORIZED` whose `serviceCode` is `ILLEGAL_TIMESTAMP`.
   * @defaultValue none, so that no bundle holds what nobody asked for
   */
  readonly serverClock?: ServerClock | undefined
}

const KEPT_TOKEN_OPTIONS = {
  ...SIGNING_OPTIONS,
  accessToken: func<KeptTokenOptions['accessToken']>(),
  serverClock: HTTP_CLIENT_OPTIONS.serverClock,
} satisfies FieldsOf<KeptTokenOptions>

/** Signs and sends. It holds nothing that could be closed. */
export interface KeptTokenClient {
  readonly endpoint: Endpoint
  readonly signer: Signer
  /** Sends the access token with every request that does not say `authenticated: false`. */
  readonly http: HttpClient
}

/**
 * Composes signer and HTTP client for one app key in one environment. Where the service refuses the token, it is asked
 * for again: a GET or HEAD goes out once more with another one, and other requests fail with `retryable`.
 *
 * @throws CoreError `OPTION_INVALID`, with the path of the option, such as `http.timeoutMs`; `ENDPOINT_INVALID` for an insecure
 * override.
 *
 * @example
 * ```ts
 * import type { Store } from '@brokerwire/core'
 * import { createKeptTokenClient } from '@brokerwire/edge/kept-token'
 *
 * declare const appKey: string
 * declare const appSecret: string
 * declare const kept: Pick<Store, 'get'>
 *
 * const { http } = createKeptTokenClient({
 *   region: 'us',
 *   environment: 'production',
 *   appKey,
 *   appSecret,
 *   accessToken: () => kept.get('the-token'),
 * })
 * const response = await http.request({ method: 'GET', path: '/openapi/config' })
 * console.log(response.json())
 * ```
 */
export function createKeptTokenClient(given: KeptTokenOptions): KeptTokenClient {
  const options = readOptions(fail, given, KEPT_TOKEN_OPTIONS)
  const { accessToken: read, serverClock } = options
  const { endpoint, signer, httpOptions } = signing(options, () => serverClock)
  const http = createHttpClient({
    ...httpOptions,
    accessTokens: {
      async get({ signal }) {
        const token = await read({ signal })
        if (token === undefined) return undefined
        // The client reads a text as well, and hands back what it was given: here alone.
        return { token: token as Secret }
      },
      async reportRejected(token, _rejection, { signal }) {
        const now = revealSecret(await read({ signal }))
        return { changed: now !== undefined && now !== revealSecret(token) }
      },
    },
  })
  return { endpoint, signer, http }
}
