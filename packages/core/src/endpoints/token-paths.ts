/**
 * Paths of the token endpoints: the specification's, and the second form that it names as well. As data, because two
 * must agree on them: what calls them, and what never sends an access token there.
 */

/** Which form of the access-token paths. Client tokens have one form. */
export type TokenPathForm = 'auth' | 'openapi'

/** The access-token paths under each form. */
export const TOKEN_PATHS = {
  auth: { create: '/auth/tokens/create', check: '/auth/tokens/check' },
  openapi: { create: '/openapi/auth/token/create', check: '/openapi/auth/token/check' },
} as const

/**
 * A path that the public clients define and never call; nothing says what it answers (facts, "Refresh of an access
 * token").
 */
export const ACCESS_REFRESH_PATH = '/openapi/auth/token/refresh'

/** The client-token paths. */
export const CLIENT_TOKEN_PATHS = {
  create: '/auth/client-tokens/create',
  refresh: '/auth/client-tokens/refresh',
} as const

/** Where the service says whether it wants an access token at all. */
export const CONFIG_PATH = '/openapi/config'

/** What the service takes without `x-access-token` (specification, "Headers on signed requests"). */
export const PATHS_WITHOUT_TOKEN: readonly string[] = [
  TOKEN_PATHS.auth.create,
  TOKEN_PATHS.auth.check,
  TOKEN_PATHS.openapi.create,
  TOKEN_PATHS.openapi.check,
  CLIENT_TOKEN_PATHS.create,
  CLIENT_TOKEN_PATHS.refresh,
  ACCESS_REFRESH_PATH,
]
