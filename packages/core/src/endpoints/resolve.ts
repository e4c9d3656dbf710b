/**
 * Finds the addresses of a region and environment. Region and environment have no default, so that a sandbox
 * key is never sent to production because an option is missing.
 */
import { CoreError, coreOptionFailure } from '../core-error.ts'
import { isRecord } from '../guards.ts'
import { origin, requireSecureOrigin } from '../options/origin.ts'
import {
  boolean,
  custom,
  type FieldsOf,
  object,
  oneOf,
  optional,
  readOptions,
  type Schema,
  string,
} from '../options/schema.ts'
import {
  ENDPOINTS,
  type EndpointEntry,
  type EndpointTable,
  type Environment,
  type FurtherRegion,
  type Region,
} from './table.ts'

/** Names of the addresses of an entry. */
const ADDRESSES = ['baseUrl', 'eventsUrl', 'moduleEventsUrl', 'mqttUrl', 'mqttWebSocketUrl'] as const

/** Name of an address of an entry. */
export type EndpointAddress = (typeof ADDRESSES)[number]

/** Options of {@link resolveEndpoint}. */
export interface EndpointOptions {
  /** Region of the service, a key of the table. */
  readonly region: Region | FurtherRegion
  /** Sandbox or production. There is no default. */
  readonly environment: Environment
  /** The table that contains the region. @defaultValue {@link ENDPOINTS} */
  readonly endpoints?: EndpointTable | undefined
  /**
   * Other addresses and algorithms than those of the table. An unknown name is an error, so that a misspelled override
   * cannot leave the real host in use. URLs are origins with `https:`. `http:` is allowed on a loopback host, and on any host
   * with `allowInsecure`. An origin is scheme, host and port as they are sent; upper case, the default port and one slash at
   * the end are accepted too. An origin that `URL` would change is rejected: backslashes, tabs, credentials, paths, `127.1`,
   * letters that are not ASCII.
   *
   * If an address differs from that of the table, no other address of the table is used, so that a test setup
   * that names one host cannot reach production with the others. Add the addresses that you use. An address
   * that the table does not have can be added without this effect. The HTTP algorithm of another `baseUrl` is
   * `HMAC-SHA1` unless you set it.
   */
  readonly overrides?: { readonly [K in keyof EndpointEntry]?: EndpointEntry[K] | undefined } | undefined
  /**
   * Allows `http:` in `overrides` for hosts that are not loopback. Other computers on the network can then
   * read tokens, and change the parts of a request that are not signed.
   * @defaultValue false
   */
  readonly allowInsecure?: boolean | undefined
}

/**
 * A resolved entry of the table. An address is `undefined` if the table does not have it, or if `overrides`
 * replaced another address of the entry.
 */
export interface Endpoint
  extends Pick<EndpointEntry, 'algorithm' | 'streamAlgorithm'>,
    Readonly<Record<EndpointAddress, string | undefined>> {
  /** Region of the entry in the table. */
  readonly region: Region | FurtherRegion
  /** Environment of the entry in the table. */
  readonly environment: Environment
}

const algorithm = oneOf(['HMAC-SHA1', 'HMAC-SHA256'])

/** Schemas of an entry. MQTT addresses are checked by the code that connects to them. */
const ENTRY = {
  baseUrl: origin,
  eventsUrl: origin,
  moduleEventsUrl: optional(origin),
  mqttUrl: optional(string()),
  mqttWebSocketUrl: optional(string()),
  algorithm,
  streamAlgorithm: algorithm,
} satisfies FieldsOf<EndpointEntry>

const OVERRIDES = {
  ...ENTRY,
  baseUrl: optional(origin),
  eventsUrl: optional(origin),
  algorithm: optional(algorithm),
  streamAlgorithm: optional(algorithm),
}

/** The name of a region. {@link resolveEndpoint} looks it up in the table. */
const region: Schema<Region | FurtherRegion> = (value, path, fail) =>
  typeof value === 'string'
    ? (value as Region | FurtherRegion)
    : oneOf(Object.keys(ENDPOINTS) as Region[])(value, path, fail)

/** Schemas of {@link EndpointOptions}. Region and environment are looked up by {@link resolveEndpoint}. */
export const ENDPOINT_OPTIONS = {
  region,
  environment: oneOf(['sandbox', 'production']),
  endpoints: optional(custom<EndpointTable>('a table of endpoints, such as FURTHER_ENDPOINTS', isRecord)),
  overrides: optional(object(OVERRIDES)),
  allowInsecure: boolean(false),
} satisfies FieldsOf<EndpointOptions>

const fail = coreOptionFailure('ENDPOINT_INVALID')

/**
 * Returns the addresses and algorithms of a region and environment.
 *
 * An address that no source names is `undefined`. If you need such an address, call {@link requireUrl}, which
 * throws an error that names the option to set.
 *
 * @throws {@link CoreError} `ENDPOINT_INVALID`
 *
 * @example
 * ```ts
 * import { resolveEndpoint } from '@brokerwire/core/endpoints'
 *
 * const endpoint = resolveEndpoint({ region: 'us', environment: 'sandbox' })
 * console.log(endpoint.baseUrl)
 * ```
 */
export function resolveEndpoint(given: EndpointOptions): Endpoint {
  const { allowInsecure, environment, ...options } = readOptions(fail, given, ENDPOINT_OPTIONS)
  const endpoints: EndpointTable = options.endpoints ?? ENDPOINTS
  const region = oneOf(Object.keys(endpoints) as (Region | FurtherRegion)[])(options.region, 'region', fail)
  const entries = endpoints[region] ?? {}
  oneOf(Object.keys(entries) as Environment[])(environment, 'environment', fail)
  // Only known names are read, because an entry may have other properties, such as its source.
  const entry = Object.entries(entries[environment] ?? {}).filter(([name]) => Object.hasOwn(ENTRY, name))
  const table = readOptions(fail, Object.fromEntries(entry), ENTRY, `endpoints.${region}.${environment}`)
  const overrides = options.overrides ?? readOptions(fail, {}, OVERRIDES)
  const isReplaced = ADDRESSES.some(
    (name) => overrides[name] !== undefined && table[name] !== undefined && overrides[name] !== table[name],
  )
  const addresses = ADDRESSES.map((name) => [name, overrides[name] ?? (isReplaced ? undefined : table[name])])
  const endpoint = Object.fromEntries(addresses) as Record<EndpointAddress, string | undefined>
  for (const name of ['baseUrl', 'eventsUrl', 'moduleEventsUrl'] as const) {
    const url = endpoint[name]
    if (url !== undefined) requireSecureOrigin(fail, `overrides.${name}`, url, allowInsecure)
  }
  return {
    region,
    environment,
    ...endpoint,
    algorithm: overrides.algorithm ?? (endpoint.baseUrl === table.baseUrl ? table.algorithm : 'HMAC-SHA1'),
    streamAlgorithm: overrides.streamAlgorithm ?? table.streamAlgorithm,
  }
}

/**
 * Returns an address of an endpoint.
 *
 * @throws {@link CoreError} `ENDPOINT_UNKNOWN` if no source names the address, or if `overrides` replaced another address of
 * the entry. The error names the option that sets the address.
 *
 * @example
 * ```ts
 * import { requireUrl, resolveEndpoint } from '@brokerwire/core/endpoints'
 *
 * const endpoint = resolveEndpoint({ region: 'us', environment: 'sandbox' })
 * console.log(requireUrl(endpoint, 'baseUrl'))
 * ```
 */
export function requireUrl(endpoint: Endpoint, name: EndpointAddress): string {
  const url = endpoint[name]
  if (url !== undefined) return url
  const { region, environment } = endpoint
  const option = `overrides.${name}`
  const isUnset = (ENDPOINTS as EndpointTable)[region]?.[environment]?.[name] !== undefined
  const reason = isUnset
    ? 'is not taken from the table, because overrides replace another address'
    : 'is not known'
  throw new CoreError(
    'ENDPOINT_UNKNOWN',
    `the ${name} of ${region} ${environment} ${reason}: set the option ${option}`,
    { details: { option, region, environment } },
  )
}
