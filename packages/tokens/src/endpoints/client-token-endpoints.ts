/** The calls of the client-token endpoints. */
import { CLIENT_TOKEN_PATHS } from '@brokerwire/core/endpoints'
import { type ParseResult, readAnswer, readTime, readToken } from '../parse.ts'
import { answerInvalid } from '../tokens-error.ts'
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
 * Reads a client-token pair: `access_token`, `expires_at`, `refresh_token`, `refresh_expires_at` (the expiries also
 * as `expires` and `refresh_expires`, as numbers or numeric strings).
 *
 * @param json - The parsed body of an answer.
 */
export function parseClientTokenPair(json: unknown): ParseResult<ClientTokenPair> {
  return readAnswer(json, (answer, issues) => {
    const time = (names: readonly [string, string]): number => {
      const found = readTime(answer, names, issues)
      if (found === undefined) throw answerInvalid(names[0], 'milliseconds since the epoch', 'nothing')
      return found
    }
    return {
      accessToken: readToken(answer, 'access_token'),
      expiresAtMs: time(['expires_at', 'expires']),
      refreshToken: readToken(answer, 'refresh_token'),
      refreshExpiresAtMs: time(['refresh_expires_at', 'refresh_expires']),
      issues,
    }
  })
}
