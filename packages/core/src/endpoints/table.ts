/**
 * The hosts of the service as data. Source: facts on public clients and documents ("Hosts"). This project has
 * never sent a request to the hosts. An address is `undefined` if no source names it. The caller can override
 * every entry, including the algorithms.
 */

/**
 * The algorithm of a signature. With `HMAC-SHA1` the digest of the body is MD5, with `HMAC-SHA256` it is
 * SHA-256.
 */
export type SignatureAlgorithm = 'HMAC-SHA1' | 'HMAC-SHA256'

/** Regions of {@link ENDPOINTS}. */
export type Region = 'hk' | 'us'

/** Regions of `FURTHER_ENDPOINTS`, whose addresses are known only from the official Python client. */
export type FurtherRegion = 'au' | 'br' | 'eu' | 'jp' | 'mx' | 'my' | 'sg' | 'th' | 'uk' | 'za'

/**
 * The environment. The sandbox creates tokens that are usable immediately. In production, a person must
 * confirm a token in the broker's app.
 */
export type Environment = 'sandbox' | 'production'

/** The addresses of one region and environment, and the algorithms of its signatures. */
export interface EndpointEntry {
  /** Origin of the HTTP endpoints: scheme, host and, if it is not the default, port. */
  readonly baseUrl: string
  /** Origin of the trade and position event streams. */
  readonly eventsUrl: string
  /** Origin of the module event stream, which has a separate host. */
  readonly moduleEventsUrl: string | undefined
  /** Address of market data over MQTT: `mqtts://host:port`. */
  readonly mqttUrl: string | undefined
  /** Address of market data over MQTT and WebSocket: `wss://host:port/path`. */
  readonly mqttWebSocketUrl: string | undefined
  /** Algorithm of HTTP signatures. */
  readonly algorithm: SignatureAlgorithm
  /** Algorithm of stream signatures. */
  readonly streamAlgorithm: SignatureAlgorithm
}

/** Returns the entry with the hosts under one domain. */
const under = (domain: string, algorithm: SignatureAlgorithm, hasModuleEvents = true): EndpointEntry => ({
  baseUrl: `https://api.${domain}`,
  eventsUrl: `https://events-api.${domain}`,
  moduleEventsUrl: hasModuleEvents ? `https://broker-api-event-push.${domain}` : undefined,
  mqttUrl: `mqtts://data-api.${domain}:1883`,
  mqttWebSocketUrl: `wss://data-api.${domain}:8883/mqtt`,
  algorithm,
  streamAlgorithm: 'HMAC-SHA256',
})

/** Endpoints by region and environment. */
export type EndpointTable = Readonly<
  Partial<Record<Region | FurtherRegion, Readonly<Partial<Record<Environment, EndpointEntry>>>>>
>

/** The regions of the specification, in both environments. */
export const ENDPOINTS: Readonly<Record<Region, Readonly<Record<Environment, EndpointEntry>>>> = {
  us: {
    production: under('webull.com', 'HMAC-SHA1'),
    sandbox: under('sandbox.webull.com', 'HMAC-SHA256', false),
  },
  hk: {
    production: under('webull.hk', 'HMAC-SHA1'),
    sandbox: under('sandbox.webull.hk', 'HMAC-SHA1'),
  },
}

/** An entry that only one source contains. */
export interface SourcedEndpointEntry extends EndpointEntry {
  /** `official-client` means that the entry was read from the source code of an official client. */
  readonly confidence: 'official-client'
  /** Name, version and date of the source. */
  readonly source: string
}

/**
 * Returns an entry of the official Python client's table. That table has no module events, and only the
 * production environment.
 */
const fromPythonClient = (domain: string): { readonly production: SourcedEndpointEntry } => ({
  production: {
    ...under(domain, 'HMAC-SHA1', false),
    confidence: 'official-client',
    source: 'endpoint table of the official Python client 2.0.12, 2026-06-24',
  },
})

/**
 * Production addresses of ten more regions, each with its source, for the option `endpoints` of {@link resolveEndpoint} and of
 * `createBrokerage`. They are known only from the endpoint table of the official Python client. The sources disagree about
 * their HTTP algorithm: documents name HMAC-SHA1, but the Java client signs with HMAC-SHA256 in every region.
 * `overrides.algorithm` changes the algorithm.
 *
 * @example
 * ```ts
 * import { FURTHER_ENDPOINTS, resolveEndpoint } from '@brokerwire/core/endpoints'
 *
 * const endpoint = resolveEndpoint({ region: 'jp', environment: 'production', endpoints: FURTHER_ENDPOINTS })
 * console.log(endpoint.baseUrl)
 * ```
 */
export const FURTHER_ENDPOINTS: Readonly<
  Record<FurtherRegion, { readonly production: SourcedEndpointEntry }>
> = {
  au: fromPythonClient('webull.com.au'),
  br: fromPythonClient('webull.com'),
  eu: fromPythonClient('webull.eu'),
  jp: fromPythonClient('webull.co.jp'),
  mx: fromPythonClient('webull.com'),
  my: fromPythonClient('webull.com.my'),
  sg: fromPythonClient('webull.com.sg'),
  th: fromPythonClient('webull.co.th'),
  uk: fromPythonClient('webull-uk.com'),
  za: fromPythonClient('webull.com.au'),
}
