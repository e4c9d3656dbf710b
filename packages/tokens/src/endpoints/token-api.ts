/** The token endpoints by hand: all calls in one object. */
import type { ClientTokenApi, TokenApi } from '../types.ts'
import { accessCalls } from './access-calls.ts'
import { clientCalls } from './client-calls.ts'
import { createTokenCalls, type TokenApiOptions, type TokenRequestPort } from './token-calls.ts'

/** The token endpoints. */
export interface TokenApis {
  readonly access: Required<TokenApi>
  readonly client: ClientTokenApi
}

/**
 * Makes the calls. They reject with nothing that the network or the service does.
 *
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createTokenApi, createTokenRateLimiter, type TokenRequestPort } from '@brokerwire/tokens'
 *
 * declare const http: TokenRequestPort
 *
 * const { access } = createTokenApi(http, { limiter: createTokenRateLimiter() })
 * const created = await access.create({}, {})
 * console.log(created.ok ? created.value.status : created.failure.kind)
 * ```
 */
export function createTokenApi(port: TokenRequestPort, options: TokenApiOptions = {}): TokenApis {
  const calls = createTokenCalls(port, options)
  return { access: accessCalls(calls), client: clientCalls(calls) }
}
