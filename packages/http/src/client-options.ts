/** Options of {@link createHttpClient}. */
import type {
  Clock,
  FetchLike,
  OperationRateLimiter,
  PathFamily,
  ServerClock,
  TokenProvider,
} from '@brokerwire/core'
import {
  boolean,
  clock,
  duration,
  type FieldsOf,
  func,
  type InferFields,
  integer,
  isRecord,
  observer,
  oneOf,
  optional,
  origin,
  port,
  readOptions,
  requireSecureOrigin,
  type Schema,
  string,
  typeName,
} from '@brokerwire/core/internal'
import type { Signer } from '@brokerwire/signer'
import type { ApiVersion } from './api-version.ts'
import { optionFailure } from './http-error.ts'
import { HTTP_OBSERVER, type HttpAttempt, type HttpObserver } from './observer.ts'

/** Options of {@link createHttpClient}. Read once: later changes of the object have no effect. */
export interface HttpClientOptions {
  /** The service's origin. It must begin with `https:`, except on a loopback host or with `allowInsecure`. */
  readonly baseUrl: string
  /**
   * Accepts `http:` on any host. Anyone on the network path can then read tokens and change unsigned parts of a
   * request.
   * @defaultValue false
   */
  readonly allowInsecure?: boolean | undefined
  /** Signs each attempt. Create it with `createSigner` of `@brokerwire/signer`. */
  readonly signer: Pick<Signer, 'sign'>
  /** The API version, sent as `x-version`. @defaultValue 'v2' */
  readonly apiVersion?: ApiVersion | undefined
  /**
   * Other API versions, by path prefix. For a path, the longest prefix that ends at the end of a segment
   * decides.
   * @defaultValue none
   */
  readonly apiVersions?: Readonly<Record<string, ApiVersion>> | undefined
  /**
   * Provides the token of authenticated requests. Without it, each authenticated request needs `accessToken`.
   * @defaultValue none
   */
  readonly accessTokens?: TokenProvider | undefined
  /**
   * The clock that the signer's `now` reads. After `ILLEGAL_TIMESTAMP` its offset is set from the response's
   * `Date`, and the request is sent once more.
   * @defaultValue none
   */
  readonly serverClock?: ServerClock | undefined
  /**
   * A replacement of the host's `fetch`. If it calls the host's `fetch`, it must pass all of `init`, because
   * options in `init` keep the host from sending a request twice. A function with the property `sendsOnce: true`, such as that of
   * `@brokerwire/core/proxy`, is trusted to send once. On Node it receives status 400 instead of 407 and 421, which Node's
   * `fetch` would handle itself. A dispatcher that you set with undici's `setGlobalDispatcher` must not retry: the client cannot
   * notice that.
   * @defaultValue the host's
   */
  readonly fetch?: FetchLike | undefined
  /** Source of time and timers. @defaultValue systemClock */
  readonly clock?: Clock | undefined
  /**
   * Returns a number from 0 up to but not including 1, which spreads the delays of retries.
   * @defaultValue Math.random
   */
  readonly random?: (() => number) | undefined
  /**
   * Time limit of each attempt in milliseconds, from sending to the last byte. A host may have its own limit:
   * Node's `fetch` fails if it receives no headers, or no further byte of the body, for 300 s.
   * @defaultValue 30000
   */
  readonly timeoutMs?: number | undefined
  /** Maximum size of a response body in bytes, after decompression. @defaultValue 8388608 (8 MiB) */
  readonly maxResponseBytes?: number | undefined
  /**
   * Maximum number of retries by the request's rule. 0: no such retry. The two additional retries that
   * `RetryRule` describes do not count.
   * @defaultValue 2
   */
  readonly maxRetries?: number | undefined
  /**
   * The longest wait before a retry in milliseconds. If `Retry-After` is longer, the request fails and the caller
   * decides.
   * @defaultValue 30000
   */
  readonly maxRetryDelayMs?: number | undefined
  /**
   * The path family of operations, which decides their path, version and response. It has no effect on requests with a `path`. After
   * a 404 the client does not try the other family, because an app key of another environment gets a 404 on every path.
   * @defaultValue 'current'
   */
  readonly pathFamily?: PathFamily | undefined
  /** Lets operations wait until the service's limit allows them. @defaultValue none: a 429 is an error */
  readonly operationRateLimiter?: OperationRateLimiter | undefined
  /**
   * Returns additional headers for an attempt, for example `traceparent`. Called for each attempt, after `observer.onHttpAttempt`. The
   * headers are not signed. Names that a request may not set are rejected with `HTTP_HEADER_FORBIDDEN`. A header of the request
   * itself replaces one of the same name.
   * @defaultValue none
   */
  readonly headers?: ((attempt: HttpAttempt) => Readonly<Record<string, string>>) | undefined
  /**
   * Name of the client in reports to the observer. If reports become metrics, name each client, because the default names of clients that
   * you create again and again never repeat.
   * @defaultValue `http-1`, `http-2` and so on, in the order of creation
   */
  readonly clientId?: string | undefined
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
  if (!isRecord(value)) throw fail(path, 'an object of versions by path prefix', typeName(value))
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
  accessTokens: optional(port<TokenProvider>(['get', 'reportRejected'])),
  serverClock: optional(port<ServerClock>(['now', 'sync', 'resync'])),
  fetch: optional(func<FetchLike>()),
  clock,
  random: func(Math.random),
  ...limits,
  maxRetries: integer({ min: 0, max: 10, default: 2 }),
  maxRetryDelayMs: integer({ min: 0, max: 86_400_000, default: 30_000 }),
  pathFamily: oneOf<PathFamily>(['current', 'openapi'], 'current'),
  operationRateLimiter: optional(port<OperationRateLimiter>(['acquire', 'backOff'])),
  headers: optional(func<HttpClientOptions['headers'] & object>()),
  clientId: optional(string()),
  observer: observer<HttpObserver>(HTTP_OBSERVER),
} satisfies FieldsOf<HttpClientOptions>

/** Options of a client after they were checked. */
export interface ClientSettings
  extends InferFields<Omit<typeof HTTP_CLIENT_OPTIONS, 'baseUrl' | 'fetch' | 'clientId'>> {
  readonly clientId: string
  readonly origin: string
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly fetch: FetchLike
  /** Whether `fetch` is the host's. */
  readonly isHostFetch: boolean
}

/** Number of clients that were created without a name. */
let unnamedClients = 0

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
    clientId: options.clientId ?? nextClientId(),
    origin: baseUrl,
    scheme,
    host: baseUrl.slice(`${scheme}://`.length),
    // The global `fetch` is looked up and called by its name at each call. Tools may replace it, and hosts
    // reject a call of `fetch` as a method of another object.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    isHostFetch: options.fetch === undefined,
  }
}

function nextClientId(): string {
  unnamedClients += 1
  return `http-${unnamedClients}`
}
