/** Options of the client, read once. */
import type { Clock, FetchLike, ServerClock } from '@brokerwire/core'
import {
  clockRow,
  readFunction,
  readInteger,
  readOneOf,
  readOrigin,
  requireObject,
  requireOptions,
  requirePort,
} from '@brokerwire/core/internal'
import type { Signer } from '@brokerwire/signer'
import type { ApiVersion } from './api-version.ts'
import { optionFailure } from './http-error.ts'
import { type HttpObserver, readObserver } from './observer.ts'
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
  /** Spreads repeats: from 0 up to but not including 1. @defaultValue Math.random */
  readonly random?: (() => number) | undefined
  /**
   * Of each attempt, from sending to the last byte, in milliseconds. A host may have a limit of its own: Node's `fetch`
   * gives up after 300 s without headers, or without another byte.
   * @defaultValue 30000
   */
  readonly timeoutMs?: number | undefined
  /** The longest body that is read, in bytes, after decompression. @defaultValue 8388608 (8 MiB) */
  readonly maxResponseBytes?: number | undefined
  /** How often a request is repeated where that is harmless. @defaultValue 2 */
  readonly maxRepeats?: number | undefined
  /** The longest wait before a repeat, in milliseconds; a longer `Retry-After` is left to the caller. @defaultValue 30000 */
  readonly maxRepeatDelayMs?: number | undefined
  readonly observer?: HttpObserver | undefined
}

/** The options with their defaults. */
export interface ReadOptions extends Omit<HttpClientOptions, 'baseUrl'> {
  readonly origin: string
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly apiVersion: ApiVersion
  readonly apiVersions: Readonly<Record<string, ApiVersion>>
  readonly fetch: FetchLike
  readonly isHostFetch: boolean
  readonly clock: Clock
  readonly random: () => number
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly maxRepeats: number
  readonly maxRepeatDelayMs: number
  readonly observer: HttpObserver
}

declare const fetch: FetchLike

const VERSIONS = ['v2', 'v3'] as const
/** The names of all options. One that is missing here does not compile. */
const CLIENT_OPTIONS = {
  baseUrl: 1,
  allowInsecure: 1,
  signer: 1,
  apiVersion: 1,
  apiVersions: 1,
  accessTokens: 1,
  serverClock: 1,
  fetch: 1,
  clock: 1,
  random: 1,
  timeoutMs: 1,
  maxResponseBytes: 1,
  maxRepeats: 1,
  maxRepeatDelayMs: 1,
  observer: 1,
} as const
const DAY_MS = 86_400_000

/** @throws {@link HttpError} `HTTP_OPTION_INVALID` */
export function readVersion(option: string, value: unknown, fallback?: ApiVersion | undefined): ApiVersion {
  return readOneOf(optionFailure, option, value, VERSIONS, fallback)
}

/** @throws {@link HttpError} `HTTP_OPTION_INVALID` */
function readNumber<Name extends string>(
  options: { readonly [N in Name]?: number | undefined },
  name: Name,
  min: number,
  max: number,
  fallback: number,
): number {
  return readInteger(optionFailure, name, options[name], { min, max, fallback })
}

/** What the client's options and those of a request have in common. @throws {@link HttpError} `HTTP_OPTION_INVALID` */
export const readLimits = (
  options: Pick<HttpClientOptions, 'timeoutMs' | 'maxResponseBytes'>,
  defaults: Pick<ReadOptions, 'timeoutMs' | 'maxResponseBytes'>,
): Pick<ReadOptions, 'timeoutMs' | 'maxResponseBytes'> => ({
  timeoutMs: readNumber(options, 'timeoutMs', 1, DAY_MS, defaults.timeoutMs),
  maxResponseBytes: readNumber(options, 'maxResponseBytes', 0, 2 ** 31, defaults.maxResponseBytes),
})

function readVersions(value: unknown = {}): Readonly<Record<string, ApiVersion>> {
  requireObject(optionFailure, 'apiVersions', value)
  return Object.fromEntries(
    Object.entries(value).map(([prefix, version]) => {
      if (!prefix.startsWith('/'))
        throw optionFailure('apiVersions', 'prefixes that begin with /', 'another one')
      return [prefix, readVersion(`apiVersions['${prefix}']`, version)]
    }),
  )
}

/** @throws {@link HttpError} `HTTP_OPTION_INVALID` */
export function readClientOptions(given: HttpClientOptions): ReadOptions {
  const options = requireOptions(optionFailure, 'options', given, CLIENT_OPTIONS)
  const origin = readOrigin(optionFailure, 'baseUrl', options.baseUrl, options.allowInsecure)
  const [scheme, host] = origin.split('://') as ['http' | 'https', string]
  const { accessTokens, serverClock } = options
  return {
    origin,
    scheme,
    host,
    signer: requirePort(optionFailure, 'signer', options.signer, ['sign']),
    apiVersion: readVersion('apiVersion', options.apiVersion, 'v2'),
    apiVersions: readVersions(options.apiVersions),
    accessTokens:
      accessTokens && requirePort(optionFailure, 'accessTokens', accessTokens, ['get', 'reportRejected']),
    serverClock:
      serverClock && requirePort(optionFailure, 'serverClock', serverClock, ['now', 'learn', 'takeBack']),
    // Called through the global at each use: hosts check what `fetch` is called on, and tools replace it.
    fetch: readFunction<FetchLike>(optionFailure, 'fetch', options.fetch, (url, init) => fetch(url, init)),
    isHostFetch: options.fetch === undefined,
    clock: clockRow(optionFailure, 'clock', options.clock),
    random: readFunction(optionFailure, 'random', options.random, Math.random),
    ...readLimits(options, { timeoutMs: 30_000, maxResponseBytes: 8 * 1024 * 1024 }),
    maxRepeats: readNumber(options, 'maxRepeats', 0, 10, 2),
    maxRepeatDelayMs: readNumber(options, 'maxRepeatDelayMs', 0, DAY_MS, 30_000),
    observer: readObserver(options.observer),
  }
}
