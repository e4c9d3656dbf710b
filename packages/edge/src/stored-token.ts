/**
 * Signed requests with an access token that other code stores: endpoint, signer and HTTP client, without the
 * lifecycle of the token. Its bundle is half as large as that of `@brokerwire/edge`, for Workers that create
 * no token. The service's clock is an option, so that a bundle contains this clock only if you pass it.
 */
import type { AbortSignalLike, Secret, SecretInput, ServerClock } from '@brokerwire/core'
import type { Endpoint } from '@brokerwire/core/endpoints'
import { type FieldsOf, func, readOptions, revealSecret } from '@brokerwire/core/internal'
import { createHttpClient, type HttpClient, type HttpObserver } from '@brokerwire/http'
import { HTTP_CLIENT_OPTIONS } from '@brokerwire/http/internal'
import type { Signer } from '@brokerwire/signer'
import { fail, SIGNING_OPTIONS, type SigningOptions, signing } from './signing.ts'

export type { SigningOptions } from './signing.ts'

/**
 * Options of {@link createStoredTokenClient}. Region and environment have no default. The options are read
 * once.
 */
export interface StoredTokenOptions extends SigningOptions {
  /**
   * Returns the stored token. It is called before each authenticated request, and again after the service has
   * rejected the token. If the promise rejects, the request rejects with the same error. Return `undefined`
   * if the service requires no token.
   */
  readonly accessToken: (options: {
    readonly signal?: AbortSignalLike | undefined
  }) => Promise<SecretInput | undefined>
  /** Functions that are called at the start and the end of each attempt. @defaultValue none */
  readonly observer?: HttpObserver | undefined
  /**
   * The service's clock: pass `createServerClock()` of `@brokerwire/core` if the host's clock may be wrong. A response that
   * rejects the timestamp then corrects the service's clock, and the request is sent once more. Signatures use the service's
   * clock instead of `clock`; if you pass both, create it from `clock`. Without this option, a rejected timestamp causes an
   * HttpError `HTTP_UNAUTHORIZED` with the `serviceCode` `ILLEGAL_TIMESTAMP`.
   * @defaultValue none, to keep bundles small
   */
  readonly serverClock?: ServerClock | undefined
}

const STORED_TOKEN_OPTIONS = {
  ...SIGNING_OPTIONS,
  accessToken: func<StoredTokenOptions['accessToken']>(),
  observer: HTTP_CLIENT_OPTIONS.observer,
  serverClock: HTTP_CLIENT_OPTIONS.serverClock,
} satisfies FieldsOf<StoredTokenOptions>

/** Endpoint, signer and HTTP client. They have no resources to release, so there is no `close()`. */
export interface StoredTokenClient {
  /** The addresses and algorithms in use. */
  readonly endpoint: Endpoint
  /** The signer of the requests. */
  readonly signer: Signer
  /**
   * The HTTP client. It sends the access token with all requests except those with `authenticated: false`.
   */
  readonly http: HttpClient
}

/**
 * Composes signer and HTTP client for one app key in one environment. If the service rejects the token, `accessToken` is called
 * again. If that call returns another token, a GET or HEAD is sent once more, and other requests fail with `retryable: true`.
 *
 * @throws CoreError `OPTION_INVALID`, with the path of the option, such as `http.timeoutMs`; `ENDPOINT_INVALID` for an insecure
 * override.
 *
 * @example
 * ```ts
 * import type { Store } from '@brokerwire/core'
 * import { createStoredTokenClient } from '@brokerwire/edge/stored-token'
 *
 * declare const appKey: string
 * declare const appSecret: string
 * declare const store: Pick<Store, 'get'>
 *
 * const { http } = createStoredTokenClient({
 *   region: 'us',
 *   environment: 'production',
 *   appKey,
 *   appSecret,
 *   accessToken: () => store.get('the-token'),
 * })
 * const response = await http.request({ method: 'GET', path: '/openapi/config' })
 * console.log(response.json())
 * ```
 */
export function createStoredTokenClient(given: StoredTokenOptions): StoredTokenClient {
  const options = readOptions(fail, given, STORED_TOKEN_OPTIONS)
  const { accessToken: read, serverClock, clientId, observer } = options
  const { endpoint, signer, httpOptions } = signing(options, () => serverClock)
  const http = createHttpClient({
    ...httpOptions,
    clientId,
    observer,
    accessTokens: {
      async get({ signal }) {
        const token = await read({ signal })
        if (token === undefined) return undefined
        // The HTTP client also accepts a string, and passes the same value to `reportRejected`.
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
