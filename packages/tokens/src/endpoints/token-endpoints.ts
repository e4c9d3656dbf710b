/** Creates the calls of the token endpoints, which use a port that sends signed requests. */
import type { TokenPathForm } from '@brokerwire/core/endpoints'
import { type FieldsOf, oneOf, optional, port, readOptions } from '@brokerwire/core/internal'
import { optionInvalid } from '../tokens-error.ts'
import type { AccessTokenEndpoints, ClientTokenEndpoints } from '../types.ts'
import { createAccessTokenEndpoints } from './access-token-endpoints.ts'
import { createClientTokenEndpoints } from './client-token-endpoints.ts'
import { createTokenCallSender, type TokenCallLimiter, type TokenRequestPort } from './token-requests.ts'

/** Options of {@link createTokenEndpoints}. Read once. */
export interface TokenEndpointsOptions {
  /**
   * The form of the access-token paths: `/auth/tokens/*`, or `/openapi/auth/token/*` as the public clients call them.
   * @defaultValue 'auth'
   */
  readonly paths?: TokenPathForm | undefined
  /**
   * How a token that is still usable is replaced: by a create request that names it, or by `POST
   * /openapi/auth/token/refresh`. The public clients define that path but never call it, and its response is not
   * published. Without an earlier token, a create request is sent in both cases.
   * @defaultValue 'create'
   */
  readonly renewal?: 'create' | 'refresh' | undefined
  /** A rate limiter, awaited before each attempt, including retries. @defaultValue none */
  readonly limiter?: TokenCallLimiter | undefined
}

/** Schemas of {@link TokenEndpointsOptions}. */
export const TOKEN_ENDPOINTS_OPTIONS = {
  paths: oneOf(['auth', 'openapi'], 'auth'),
  renewal: oneOf(['create', 'refresh'], 'create'),
  limiter: optional(port<TokenCallLimiter>(['acquire'])),
} satisfies FieldsOf<TokenEndpointsOptions>

/** The token endpoints of the service. Created by {@link createTokenEndpoints}. */
export interface TokenEndpoints {
  /** The calls about access tokens: the option `endpoints` of {@link createAccessTokens}. */
  readonly access: Required<Omit<AccessTokenEndpoints, 'origin'>> & Pick<AccessTokenEndpoints, 'origin'>
  /** The calls about client tokens: the option `endpoints` of {@link createClientTokens}. */
  readonly client: ClientTokenEndpoints
}

/**
 * Creates the calls of the token endpoints. The calls return network and service failures as results, and do not reject
 * because of them.
 *
 * @param requests - Sends signed requests, for example the client of `@brokerwire/http`.
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import type { Store } from '@brokerwire/core'
 * import { createServiceIdentity, resolveEndpoint } from '@brokerwire/core/endpoints'
 * import { createAccessTokens, createTokenEndpoints, type TokenRequestPort } from '@brokerwire/tokens'
 *
 * declare const http: TokenRequestPort
 * declare const store: Store
 *
 * const endpoint = resolveEndpoint({ environment: 'production', region: 'us' })
 * const identity = createServiceIdentity(endpoint, 'app-key')
 * const { access } = createTokenEndpoints(http)
 * const tokens = createAccessTokens({ endpoints: access, store, identity })
 * console.log((await tokens.get())?.expiresAtMs)
 * ```
 */
export function createTokenEndpoints(
  requests: TokenRequestPort,
  options: TokenEndpointsOptions = {},
): TokenEndpoints {
  port<TokenRequestPort>(['request'])(requests, 'requests', optionInvalid)
  const { limiter, paths, renewal } = readOptions(optionInvalid, options, TOKEN_ENDPOINTS_OPTIONS)
  const { origin } = requests
  const send = createTokenCallSender(requests, limiter)
  return {
    access: { origin, ...createAccessTokenEndpoints(send, { paths, renewal }) },
    client: { origin, ...createClientTokenEndpoints(send) },
  }
}
