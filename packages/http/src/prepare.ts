/** A request, checked once and turned into what every attempt needs. */

import { PATHS_WITHOUT_TOKEN } from '@brokerwire/core/endpoints'
import { readFunction, readOneOf, requireSecret } from '@brokerwire/core/internal'
import type { ApiVersion } from './api-version.ts'
import { type ReadOptions, readLimits, readVersion } from './client-options.ts'
import { type EncodedBody, encodeBody } from './encode-body.ts'
import { optionFailure, type RequestDetails } from './http-error.ts'
import type { HttpRequest, RepeatRule } from './request.ts'
import { readHeaders, readHeaderValue } from './request-headers.ts'
import { readPath, readQuery, versionOf } from './target.ts'

/** A checked request. */
export interface Prepared extends EncodedBody {
  readonly details: RequestDetails
  readonly query: readonly (readonly [string, string])[]
  /** All headers but the signature's and the token's. */
  readonly headers: Readonly<Record<string, string>>
  readonly apiVersion: ApiVersion
  readonly authenticated: boolean
  /** The request's own token. An authenticated request without one asks the client's token source, for each attempt. */
  readonly accessToken: string | undefined
  readonly repeat: RepeatRule
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly beforeAttempt: HttpRequest['beforeAttempt']
  readonly onAttemptEnd: HttpRequest['onAttemptEnd']
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** A token that a header can carry. */
export function requireToken(value: unknown): string {
  return readHeaderValue('accessToken', requireSecret(optionFailure, 'accessToken', value))
}

function ownToken({ accessToken }: HttpRequest, { accessTokens }: ReadOptions): string | undefined {
  if (accessToken !== undefined) return requireToken(accessToken)
  if (accessTokens !== undefined) return undefined
  throw optionFailure('accessTokens', 'a token source for authenticated requests', 'undefined')
}

/** @throws {@link HttpError} `HTTP_OPTION_INVALID`, `HTTP_HEADER_FORBIDDEN` */
export function prepare(request: HttpRequest, options: ReadOptions): Prepared {
  const method = readOneOf(optionFailure, 'method', request.method, METHODS)
  const path = readPath(request.path)
  const isSafe = method === 'GET' || method === 'HEAD'
  const apiVersion = readVersion(
    'apiVersion',
    request.apiVersion,
    versionOf(path, options.apiVersions, options.apiVersion),
  )
  const authenticated = request.authenticated !== false && !PATHS_WITHOUT_TOKEN.includes(path)
  return {
    details: { method, path },
    query: readQuery(request.query),
    ...encodeBody(request, isSafe),
    headers: {
      accept: 'application/json',
      ...(request.json !== undefined && { 'content-type': 'application/json' }),
      ...readHeaders(request.headers),
      'x-version': apiVersion,
    },
    apiVersion,
    authenticated,
    accessToken: authenticated ? ownToken(request, options) : undefined,
    repeat: readOneOf(
      optionFailure,
      'repeat',
      request.repeat,
      ['always', 'unsent', 'never'],
      isSafe ? 'always' : 'never',
    ),
    ...readLimits(request, options),
    beforeAttempt: readFunction(optionFailure, 'beforeAttempt', request.beforeAttempt, undefined),
    onAttemptEnd: readFunction(optionFailure, 'onAttemptEnd', request.onAttemptEnd, undefined),
  }
}
