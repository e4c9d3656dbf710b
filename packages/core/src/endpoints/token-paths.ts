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

/** The paths above that a token call is sent to. */
type TokenPath =
  | (typeof TOKEN_PATHS)['auth' | 'openapi']['create' | 'check']
  | (typeof CLIENT_TOKEN_PATHS)['create' | 'refresh']
  | typeof ACCESS_REFRESH_PATH

/**
 * What the service takes without `x-access-token` (specification, "Headers on signed requests"). Written out: who sends
 * requests with a token of their own holds this list alone. One that is none of the paths above does not compile.
 */
export const PATHS_WITHOUT_TOKEN: readonly string[] = [
  '/auth/tokens/create',
  '/auth/tokens/check',
  '/openapi/auth/token/create',
  '/openapi/auth/token/check',
  '/auth/client-tokens/create',
  '/auth/client-tokens/refresh',
  '/openapi/auth/token/refresh',
] satisfies readonly TokenPath[]
