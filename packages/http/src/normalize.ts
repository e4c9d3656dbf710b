/**
 * First stage: checks the options of a request once and prepares everything that each attempt needs, including the
 * final bytes of the body.
 */
import type { AbortSignalLike, QueryPair } from '@brokerwire/core'
import { PATHS_WITHOUT_TOKEN } from '@brokerwire/core/endpoints'
import {
  boolean,
  describeQueryInput,
  type FieldsOf,
  func,
  isRecord,
  oneOf,
  optional,
  readOptions,
  readQueryInput,
  receivedName,
  requireHeaderValue,
  type Schema,
  secret,
  signal,
  string,
  typeName,
  unchecked,
} from '@brokerwire/core/internal'
import type { ApiVersion } from './api-version.ts'
import { apiVersion, type ClientSettings, limits } from './client-options.ts'
import { type EncodedBody, encodeBody } from './encode-body.ts'
import { headers } from './headers.ts'
import { optionFailure, type RequestDetails } from './http-error.ts'
import type { HttpRequest, RetryRule } from './request.ts'

/** A request after its options were checked. */
export interface NormalizedRequest extends EncodedBody {
  /** Method and path. */
  readonly target: RequestDetails
  readonly origin: string
  readonly operation: string | undefined
  readonly query: readonly QueryPair[]
  /** All headers except the token and those of the signature. */
  readonly headers: Readonly<Record<string, string>>
  readonly apiVersion: ApiVersion
  /** Whether the request carries a token. */
  readonly authenticated: boolean
  /**
   * The request's own token. Without one, each attempt of an authenticated request asks the client's token
   * provider.
   */
  readonly accessToken: string | undefined
  readonly rule: RetryRule
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly beforeAttempt: HttpRequest['beforeAttempt']
  readonly onAttemptEnd: HttpRequest['onAttemptEnd']
  readonly signal: AbortSignalLike | undefined
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

declare const URL: new (text: string, base: string) => { readonly pathname: string }

/** Paths that URL parsers never rewrite. Other paths are parsed to check that. */
const PLAIN_PATH = /^(?:\/[\w-]+)+$/

/**
 * A path must be sent as it was signed, so paths that the URL parser of `fetch` would rewrite are rejected.
 */
const path: Schema<string> = (value, option, fail) => {
  if (typeof value !== 'string' || value === '')
    throw fail(option, 'a path such as "/orders"', typeName(value))
  if (/^[a-z]+:\/\//i.test(value))
    throw fail(option, 'a path without scheme and host, which are the client\'s "baseUrl"', 'a URL')
  if (!value.startsWith('/')) {
    const shown = receivedName(value)
    throw fail(option, 'a path', shown, `${option} must start with "/"; received ${shown}`)
  }
  if (value.includes('?'))
    throw fail(
      option,
      'a path',
      'a query string',
      `${option} must not contain a query string; use the "query" option`,
    )
  try {
    if (PLAIN_PATH.test(value) || new URL(value, 'https://localhost').pathname === value) return value
  } catch {
    // Backslashes, tabs and line breaks can turn a path into a URL with another host. If that host is
    // invalid, the parser throws.
  }
  throw fail(option, 'a percent-encoded path without fragment and dot segments', 'another path')
}

const query: Schema<readonly QueryPair[]> = (value = [], option, fail) => {
  const pairs = readQueryInput(value as HttpRequest['query'] & object)
  if (pairs !== undefined) return pairs
  throw fail(option, 'a record, pairs or a URLSearchParams of strings', describeQueryInput(value))
}

/** A token that a header can carry. */
const token: Schema<string> = (value, option, fail) =>
  requireHeaderValue(option, secret(value, option, fail), fail)

const REQUEST_OPTIONS = {
  method: oneOf(METHODS),
  path,
  operation: optional(string()),
  query,
  // Checked by `encodeBody`, because at most one of the two may be set.
  json: unchecked<unknown>(),
  body: unchecked<HttpRequest['body']>(),
  headers,
  authenticated: boolean(true),
  accessToken: optional(token),
  apiVersion: optional(apiVersion),
  retry: optional(oneOf(['always', 'unsent', 'never'])),
  timeoutMs: optional(limits.timeoutMs),
  maxResponseBytes: optional(limits.maxResponseBytes),
  beforeAttempt: optional(func<HttpRequest['beforeAttempt'] & object>()),
  onAttemptEnd: optional(func<HttpRequest['onAttemptEnd'] & object>()),
  signal,
} satisfies FieldsOf<HttpRequest>

/** Checks a token of the token provider, and returns it. @throws {@link HttpError} `HTTP_OPTION_INVALID` */
export const requireToken = (value: unknown): string =>
  token(value, 'accessTokens.get().token', optionFailure)

/**
 * Checks the options of a request and adds those of the client.
 * @throws {@link HttpError} `HTTP_OPTION_INVALID`, `HTTP_HEADER_FORBIDDEN`
 */
export function normalize(given: HttpRequest, settings: ClientSettings): NormalizedRequest {
  const request = readOptions(optionFailure, given, REQUEST_OPTIONS, isRecord(given) ? '' : 'request')
  const { method, path } = request
  const isSafe = method === 'GET' || method === 'HEAD'
  const version = request.apiVersion ?? resolveApiVersion(path, settings.apiVersions, settings.apiVersion)
  const authenticated = request.authenticated && !PATHS_WITHOUT_TOKEN.includes(path)
  if (!authenticated && request.accessToken !== undefined)
    throw optionFailure(
      'accessToken',
      'undefined',
      'a token',
      `accessToken must not be set ${request.authenticated ? `for ${path}, which takes no token` : 'with authenticated: false'}`,
    )
  if (authenticated && request.accessToken === undefined && settings.accessTokens === undefined)
    throw optionFailure(
      'accessTokens',
      'a token provider',
      'undefined',
      'an authenticated request needs a token: set "accessTokens" of the client or "accessToken" of the request, or authenticated: false',
    )
  return {
    target: { method, path },
    origin: settings.origin,
    operation: request.operation,
    query: request.query,
    ...encodeBody(request, isSafe),
    headers: {
      accept: 'application/json',
      ...(request.json !== undefined && { 'content-type': 'application/json' }),
      ...request.headers,
      'x-version': version,
    },
    apiVersion: version,
    authenticated,
    accessToken: request.accessToken,
    rule: request.retry ?? (isSafe ? 'always' : 'never'),
    timeoutMs: request.timeoutMs ?? settings.timeoutMs,
    maxResponseBytes: request.maxResponseBytes ?? settings.maxResponseBytes,
    beforeAttempt: request.beforeAttempt,
    onAttemptEnd: request.onAttemptEnd,
    signal: request.signal,
  }
}

/**
 * Returns the API version of a path: the version of the longest prefix that ends at the end of a segment, or
 * `fallback` if there is no such prefix.
 *
 * @param versions - Versions by path prefix.
 */
export function resolveApiVersion(
  path: string,
  versions: Readonly<Record<string, ApiVersion>>,
  fallback: ApiVersion,
): ApiVersion {
  const [best = ''] = Object.keys(versions)
    .filter((prefix) => `${path}/`.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`))
    .sort((one, other) => other.length - one.length)
  return versions[best] ?? fallback
}
