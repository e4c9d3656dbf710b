/** The calls about access tokens. */

import { ACCESS_REFRESH_PATH, CONFIG_PATH, TOKEN_PATHS } from '@brokerwire/core/endpoints'
import { describe, isRecord, ownOption } from '@brokerwire/core/internal'
import { type ParseResult, parseAccessTokenRecord } from '../parse.ts'
import { answerInvalid } from '../tokens-error.ts'
import type { TokenApi } from '../types.ts'
import { post, type TokenCalls } from './token-calls.ts'

export function accessCalls(calls: TokenCalls): Required<TokenApi> {
  const paths = TOKEN_PATHS[calls.paths]
  return {
    create({ previousToken }, options) {
      const json = previousToken === undefined ? {} : { token: previousToken }
      const isRefresh = previousToken !== undefined && calls.renewal === 'refresh'
      const request = post(isRefresh ? ACCESS_REFRESH_PATH : paths.create, json, 'unsent')
      return calls.perform({ call: 'create', request, options, read: parseAccessTokenRecord })
    },
    check(token, options) {
      const request = post(paths.check, { token }, 'always')
      return calls.perform({ call: 'check', request, options, read: parseAccessTokenRecord })
    },
    config(options) {
      const request = { method: 'GET', path: CONFIG_PATH } as const
      return calls.perform({ call: 'config', request, options, read: readConfig })
    },
  }
}

function readConfig(json: unknown): ParseResult<{ readonly tokenCheckEnabled: boolean }> {
  const enabled = isRecord(json) ? ownOption(json, 'token_check_enabled') : undefined
  if (typeof enabled === 'boolean') return { ok: true, value: { tokenCheckEnabled: enabled }, issues: [] }
  return { ok: false, error: answerInvalid('token_check_enabled', 'true or false', describe(enabled)) }
}
