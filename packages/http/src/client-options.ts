/** Options of the client, read once. */
import type { Clock, FetchLike, ServerClock } from '@brokerwire/core'
import {
  boolean,
  clock,
  describe,
  duration,
  type FieldsOf,
  func,
  type InferFields,
  integer,
  isRecord,
  oneOf,
  optional,
  origin,
  port,
  readOptions,
  requireSecureOrigin,
  type Schema,
} from '@brokerwire/core/internal'
import type { Signer } from '@brokerwire/signer'
import type { ApiVersion } from './api-version.ts'
import { optionFailure } from './http-error.ts'
import { type HttpObserver, observer } from './observer.ts'
import type { AccessTokenSource } from './token-source.ts'

/** Options of {@link createHttpClient}. Read once: changing the object later changes nothing. */
export interface HttpClientOptions {
  /** The service's origin: `https:`, or `http:` on a loopback host, or anywhere with `allowInsecure`. */
  readonly baseUrl: string
  /**
   * Takes `http:` on any host. Tokens and what no signature covers are then open to whoever is on the way.
   * @defaultValue false
   */
  readonly allowInsecure?: boolean | undefined
  /** Signs each attempt: `createSigner` of `@brokerwire/signer`. */
  readonly signer: Pick<Signer, 'sign'>
  /** Sent as `x-version`. @defaultValue 'v2' */
  readonly apiVersion?: ApiVersion | undefined
  /** Other versions by path prefix; the longest one that ends at a path segment wins. @defaultValue none */
  readonly apiVersions?: Readonly<Record<string, ApiVersion>> | undefined
  /** Where authenticated requests take their token from. Without it they need `accessToken` each. */
  readonly accessTokens?: AccessTokenSource | undefined
  /**
   * The clock that the signer's `now` reads. With it, `ILLEGAL_TIMESTAMP` teaches the offset from the answer's
   * `Date`, and the request is sent once more. @defaultValue none
   */
  readonly serverClock?: ServerClock | undefined
  /**
   * A replacement. One that calls the host's passes all of `init` on: it keeps the host from sending a request twice.
   * @defaultValue the host's
   */
  readonly fetch?: FetchLike | undefined
  /** Times limits and waits. @defaultValue systemClock */
  readonly clock?: Clock | undefined
  /** Spreads retries: from 0 up to but not including 1. @defaultValue Math.random */
  readonly random?: (() => number) | undefined
  /**
   * Of each attempt, from sending to the last byte, in milliseconds. A host may have a limit of its own: Node's `fetch`
   * gives up after 300 s without headers, or without another byte.
   * @defaultValue 30000
   */
  readonly timeoutMs?: number | undefined
  /** The longest body that is read, in bytes, after decompression. @defaultValue 8388608 (8 MiB) */
  readonly maxResponseBytes?: number | undefined
  /** Retries of a request that its rule allows. 0: a single attempt. @defaultValue 2 */
  readonly maxRetries?: number | undefined
  /** The longest wait before a retry, in milliseconds; a longer `Retry-After` is left to the caller. @defaultValue 30000 */
  readonly maxRetryDelayMs?: number | undefined
  /** Functions that are called at the start and the end of each attempt. @defaultValue none */
  readonly observer?: HttpObserver | undefined
}

declare const fetch: FetchLike

const VERSIONS = ['v2', 'v3'] as const

export const apiVersion = oneOf(VERSIONS)

/** Limits that a request can override. */
export const limits = {
  timeoutMs: duration(30_000),
  maxResponseBytes: integer({ min: 0, max: 2 ** 31, default: 8 * 1024 * 1024 }),
}

const apiVersions: Schema<Readonly<Record<string, ApiVersion>>> = (value = {}, path, fail) => {
  if (!isRecord(value)) throw fail(path, 'an object of versions by path prefix', describe(value))
  const entries = Object.entries(value).map(([prefix, version]) => {
    if (!prefix.startsWith('/')) throw fail(path, 'an object whose keys start with "/"', 'another key')
    return [prefix, apiVersion(version, `${path}["${prefix}"]`, fail)] as const
  })
  return Object.fromEntries(entries)
}

/** Schemas of {@link HttpClientOptions}. */
export const HTTP_CLIENT_OPTIONS = {
  baseUrl: origin,
  allowInsecure: boolean(false),
  signer: port<HttpClientOptions['signer']>(['sign']),
  apiVersion: oneOf(VERSIONS, 'v2'),
  apiVersions,
  accessTokens: optional(port<AccessTokenSource>(['get', 'reportRejected'])),
  serverClock: optional(port<ServerClock>(['now', 'learn', 'takeBack'])),
  fetch: optional(func<FetchLike>()),
  clock,
  random: func(Math.random),
  ...limits,
  maxRetries: integer({ min: 0, max: 10, default: 2 }),
  maxRetryDelayMs: integer({ min: 0, max: 86_400_000, default: 30_000 }),
  observer,
} satisfies FieldsOf<HttpClientOptions>

/** Options of a client after they were checked. */
export interface ClientSettings extends InferFields<Omit<typeof HTTP_CLIENT_OPTIONS, 'baseUrl' | 'fetch'>> {
  readonly origin: string
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly fetch: FetchLike
  /** Whether `fetch` is the host's. */
  readonly isHostFetch: boolean
}

/** @throws {@link HttpError} `HTTP_OPTION_INVALID` */
export function readClientOptions(given: HttpClientOptions): ClientSettings {
  const { baseUrl, ...options } = readOptions(optionFailure, given, HTTP_CLIENT_OPTIONS)
  requireSecureOrigin(optionFailure, 'baseUrl', baseUrl, options.allowInsecure)
  const tokenOrigin = options.accessTokens?.origin
  if (tokenOrigin !== undefined && tokenOrigin !== baseUrl)
    throw optionFailure('baseUrl', `${tokenOrigin}, the origin of accessTokens`, baseUrl)
  const scheme = baseUrl.startsWith('https:') ? 'https' : 'http'
  return {
    ...options,
    origin: baseUrl,
    scheme,
    host: baseUrl.slice(`${scheme}://`.length),
    // Looked up at each call: hosts check the object that `fetch` is called on, and tools replace it.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    isHostFetch: options.fetch === undefined,
  }
}
