/**
 * Paths of the token endpoints: the specification's, and the second form that it names as well. As data, because two
 * must agree on them: what calls them, and what never sends an access token there.
 */

/** Which form of the access-token paths. Client tokens have one form. */
export type TokenPathForm = 'auth' | 'openapi'

const CREATE = '/auth/tokens/create'
const CHECK = '/auth/tokens/check'
const OPENAPI_CREATE = '/openapi/auth/token/create'
const OPENAPI_CHECK = '/openapi/auth/token/check'
const CLIENT_CREATE = '/auth/client-tokens/create'
const CLIENT_REFRESH = '/auth/client-tokens/refresh'

/** The access-token paths under each form. */
export const TOKEN_PATHS = {
  auth: { create: CREATE, check: CHECK },
  openapi: { create: OPENAPI_CREATE, check: OPENAPI_CHECK },
} as const

/**
 * A path that the public clients define and never call; nothing says what it answers (facts, "Refresh of an access
 * token").
 */
export const ACCESS_REFRESH_PATH = '/openapi/auth/token/refresh'

/** The client-token paths. */
export const CLIENT_TOKEN_PATHS = { create: CLIENT_CREATE, refresh: CLIENT_REFRESH } as const

/** Where the service says whether it wants an access token at all. */
export const CONFIG_PATH = '/openapi/config'

/** What the service takes without `x-access-token` (specification, "Headers on signed requests"). */
export const PATHS_WITHOUT_TOKEN: readonly string[] = [
  CREATE,
  CHECK,
  OPENAPI_CREATE,
  OPENAPI_CHECK,
  CLIENT_CREATE,
  CLIENT_REFRESH,
  ACCESS_REFRESH_PATH,
]
