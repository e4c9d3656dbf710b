/** The calls of the access-token endpoints. */
import { ACCESS_REFRESH_PATH, CONFIG_PATH, TOKEN_PATHS, type TokenPathForm } from '@brokerwire/core/endpoints'
import { isRecord, ownOption, typeName } from '@brokerwire/core/internal'
import { type ParseResult, parseAccessTokenResponse } from '../parse.ts'
import { responseInvalid } from '../tokens-error.ts'
import type { AccessTokenEndpoints } from '../types.ts'
import { post, type SendTokenCall } from './token-requests.ts'

export function createAccessTokenEndpoints(
  send: SendTokenCall,
  { paths, renewal }: { readonly paths: TokenPathForm; readonly renewal: 'create' | 'refresh' },
): Required<Omit<AccessTokenEndpoints, 'origin'>> {
  const { create: createPath, check: checkPath } = TOKEN_PATHS[paths]
  return {
    create({ previousToken }, options) {
      const json = previousToken === undefined ? {} : { token: previousToken }
      const isRefresh = previousToken !== undefined && renewal === 'refresh'
      const request = post(isRefresh ? ACCESS_REFRESH_PATH : createPath, json, 'unsent')
      return send({ call: 'create', request, options, parse: parseAccessTokenResponse })
    },
    check(token, options) {
      const request = post(checkPath, { token }, 'always')
      return send({ call: 'check', request, options, parse: parseAccessTokenResponse })
    },
    config(options) {
      const request = { method: 'GET', path: CONFIG_PATH } as const
      return send({ call: 'config', request, options, parse: parseConfig })
    },
  }
}

function parseConfig(json: unknown): ParseResult<{ readonly tokenCheckEnabled: boolean }> {
  const enabled = isRecord(json) ? ownOption(json, 'token_check_enabled') : undefined
  if (typeof enabled === 'boolean') return { ok: true, value: { tokenCheckEnabled: enabled }, issues: [] }
  return { ok: false, error: responseInvalid('token_check_enabled', 'true or false', typeName(enabled)) }
}
