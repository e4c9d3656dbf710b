/**
 * Paths of the token endpoints. The token calls use them. The HTTP client also needs them, because it never sends an
 * access token to these paths.
 */

/** Form of the access-token paths. Of the client-token paths, the token calls use only one form. */
export type TokenPathForm = 'auth' | 'openapi'

/** The access-token paths under each form. */
export const TOKEN_PATHS = {
  auth: { create: '/auth/tokens/create', check: '/auth/tokens/check' },
  openapi: { create: '/openapi/auth/token/create', check: '/openapi/auth/token/check' },
} as const

/**
 * A path that the public clients define and never call. Its response is not documented (facts, "Refresh of an access token").
 */
export const ACCESS_REFRESH_PATH = '/openapi/auth/token/refresh'

/** The client-token paths that the token calls use. */
export const CLIENT_TOKEN_PATHS = {
  create: '/auth/client-tokens/create',
  refresh: '/auth/client-tokens/refresh',
} as const

/** The client-token paths of the earlier path family, which start with `/openapi`. */
const OPENAPI_CLIENT_TOKEN_PATHS = {
  create: '/openapi/auth/client/token/create',
  refresh: '/openapi/auth/client/token/refresh',
} as const

/** Path of the call that returns whether the service requires access tokens. */
export const CONFIG_PATH = '/openapi/config'

/** Paths of requests without `x-access-token` (specification, "Headers on signed requests"). */
export const PATHS_WITHOUT_TOKEN: readonly string[] = [
  TOKEN_PATHS.auth.create,
  TOKEN_PATHS.auth.check,
  TOKEN_PATHS.openapi.create,
  TOKEN_PATHS.openapi.check,
  CLIENT_TOKEN_PATHS.create,
  CLIENT_TOKEN_PATHS.refresh,
  OPENAPI_CLIENT_TOKEN_PATHS.create,
  OPENAPI_CLIENT_TOKEN_PATHS.refresh,
  ACCESS_REFRESH_PATH,
]
