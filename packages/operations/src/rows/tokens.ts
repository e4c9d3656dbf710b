/**
 * The operations of access tokens and client tokens. `@brokerwire/tokens` calls the same endpoints, and also stores and renews
 * the tokens.
 */
import { type Infer, integerLike, object, openEnum, optional, string } from '@brokerwire/payloads'
import { field } from '../fields.ts'
import { createOperation } from '../operation.ts'
import { ACCESS_TOKENS, CLIENT_TOKENS } from './limits.ts'

/** The token endpoints use API version 2 in both path families. */
const apiVersions = { current: 'v2', openapi: 'v2' } as const

const accessToken = object({
  token: string,
  expiresAt: optional(integerLike, 'expires_at', 'expires'),
  status: openEnum('PENDING', 'NORMAL', 'INVALID', 'EXPIRED'),
})

/** An access token and its state. `expiresAt`: milliseconds since the Unix epoch. */
export interface AccessToken extends Infer<typeof accessToken> {}

/** Creates an access token. In production a person must then enter a code. */
export const createAccessToken = createOperation(
  {
    name: 'access-tokens.create',
    method: 'POST',
    paths: { current: '/auth/tokens/create', openapi: '/openapi/auth/token/create' },
    apiVersions,
    authenticated: false,
    fields: { token: field.optional(field.secret, { confidence: 'official-client' }) },
    effect: 'tokens',
    responseSecrets: ['token'],
    retry: 'unsent',
    rateLimits: ACCESS_TOKENS,
    sources: ['US', 'HK', 'PY2', 'JA'],
    confidence: 'documented',
  },
  accessToken,
)

/** Reads the state of an access token. */
export const checkAccessToken = createOperation(
  {
    name: 'access-tokens.check',
    method: 'POST',
    paths: { current: '/auth/tokens/check', openapi: '/openapi/auth/token/check' },
    apiVersions,
    authenticated: false,
    fields: { token: field.secret },
    responseSecrets: ['token'],
    retry: 'always',
    rateLimits: ACCESS_TOKENS,
    sources: ['US', 'HK', 'PY2', 'JA'],
    confidence: 'documented',
  },
  accessToken,
)

const clientToken = object({
  accessToken: string,
  expiresAt: integerLike,
  refreshToken: string,
  refreshExpiresAt: integerLike,
})

/** The tokens of a customer. Instants are milliseconds since the Unix epoch. */
export interface ClientToken extends Infer<typeof clientToken> {}

/** Creates the tokens of a customer. The customer's earlier tokens end at once. */
export const createClientToken = createOperation(
  {
    name: 'client-tokens.create',
    method: 'POST',
    paths: { current: '/auth/client-tokens/create', openapi: '/openapi/auth/client/token/create' },
    apiVersions,
    authenticated: false,
    fields: { clientUserId: field.string() },
    effect: 'tokens',
    responseSecrets: ['accessToken', 'refreshToken'],
    retry: 'unsent',
    rateLimits: CLIENT_TOKENS,
    regions: 'HK: on a separate host.',
    sources: ['US', 'HK', 'HK5'],
    confidence: 'documented',
  },
  clientToken,
)

/** Replaces the tokens of a customer. The earlier tokens end. */
export const refreshClientToken = createOperation(
  {
    name: 'client-tokens.refresh',
    method: 'POST',
    paths: { current: '/auth/client-tokens/refresh', openapi: '/openapi/auth/client/token/refresh' },
    apiVersions,
    authenticated: false,
    fields: { refreshToken: field.secret },
    effect: 'tokens',
    responseSecrets: ['accessToken', 'refreshToken'],
    retry: 'unsent',
    rateLimits: CLIENT_TOKENS,
    regions: 'HK: on a separate host.',
    sources: ['US', 'HK', 'HK5'],
    confidence: 'documented',
  },
  clientToken,
)
