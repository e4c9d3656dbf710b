/** The calls of the client-token endpoints. */
import { CLIENT_TOKEN_PATHS } from '@brokerwire/core/endpoints'
import { type ParseResult, parseExpiry, parseResponse, parseToken } from '../parse.ts'
import { responseInvalid } from '../tokens-error.ts'
import type { ClientTokenEndpoints, ClientTokenPair } from '../types.ts'
import { post, type SendTokenCall } from './token-requests.ts'

export function createClientTokenEndpoints(send: SendTokenCall): ClientTokenEndpoints {
  return {
    create(clientUserId, options) {
      const request = post(CLIENT_TOKEN_PATHS.create, { client_user_id: clientUserId }, 'unsent')
      return send({ call: 'client-create', request, options, parse: parseClientTokenPair })
    },
    refresh(refreshToken, options) {
      const request = post(CLIENT_TOKEN_PATHS.refresh, { refresh_token: refreshToken }, 'unsent')
      return send({ call: 'client-refresh', request, options, parse: parseClientTokenPair })
    },
  }
}

/**
 * Parses a client-token pair: `access_token`, `expires_at`, `refresh_token`, `refresh_expires_at`. The expiries
 * may also be named `expires` and `refresh_expires`, and may be numbers or numeric strings.
 *
 * @param json - The parsed body of a response.
 *
 * @example
 * ```ts
 * import { parseClientTokenPair } from '@brokerwire/tokens'
 *
 * const parsed = parseClientTokenPair({ access_token: 'a' })
 * console.log(parsed.ok ? parsed.value.expiresAtMs : parsed.error.details.field) // expires_at
 * ```
 */
export function parseClientTokenPair(json: unknown): ParseResult<ClientTokenPair> {
  return parseResponse(json, (response, issues) => {
    const time = (names: readonly [string, string]): number => {
      const found = parseExpiry(response, names, issues)
      if (found === undefined) throw responseInvalid(names[0], 'milliseconds since the epoch', 'nothing')
      return found
    }
    return {
      accessToken: parseToken(response, 'access_token'),
      expiresAtMs: time(['expires_at', 'expires']),
      refreshToken: parseToken(response, 'refresh_token'),
      refreshExpiresAtMs: time(['refresh_expires_at', 'refresh_expires']),
      issues,
    }
  })
}
