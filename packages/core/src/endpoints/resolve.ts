/**
 * From region and environment to addresses.
 *
 * Region and environment have no default: a sandbox key must not reach production because an option was left out.
 */
import { CoreError, coreOptionFailure } from '../core-error.ts'
import { origin, requireSecureOrigin } from '../options/origin.ts'
import { boolean, type FieldsOf, object, oneOf, optional, readOptions, string } from '../options/schema.ts'
import { ENDPOINTS, type EndpointEntry, type Environment, type Region } from './table.ts'

/** Options of {@link resolveEndpoint}. */
export interface EndpointOptions {
  readonly region: Region
  readonly environment: Environment
  /**
   * Replaces entries of the table one by one. URLs are origins: `https:`, or `http:` on a loopback host, or anywhere with
   * `allowInsecure`.
   */
  readonly overrides?: { readonly [K in keyof EndpointEntry]?: EndpointEntry[K] | undefined } | undefined
  /**
   * Lets `overrides` name `http:` hosts that are not loopback. Tokens and what no signature covers are then open to
   * whoever is on the way.
   * @defaultValue false
   */
  readonly allowInsecure?: boolean | undefined
}

/** An entry of the table, resolved. */
export interface Endpoint extends EndpointEntry {
  readonly region: Region
  readonly environment: Environment
}

const algorithm = optional(oneOf(['HMAC-SHA1', 'HMAC-SHA256']))
/** MQTT addresses are checked by the code that connects to them. */
const OVERRIDES = {
  httpUrl: optional(origin),
  eventsUrl: optional(origin),
  moduleEventsUrl: optional(origin),
  mqttUrl: optional(string()),
  mqttWebSocketUrl: optional(string()),
  algorithm,
  streamAlgorithm: algorithm,
} satisfies FieldsOf<EndpointEntry>

/** Schemas of {@link EndpointOptions}. */
export const ENDPOINT_OPTIONS = {
  region: oneOf(['hk', 'us']),
  environment: oneOf(['sandbox', 'production']),
  overrides: optional(object(OVERRIDES)),
  allowInsecure: boolean(false),
} satisfies FieldsOf<EndpointOptions>

const fail = coreOptionFailure('ENDPOINT_INVALID')

/**
 * Looks up the addresses of a region and environment.
 *
 * An address that no source names stays `undefined` and fails only where it is needed: {@link requireUrl}.
 *
 * @throws {@link CoreError} `ENDPOINT_INVALID`
 *
 * @example
 * ```ts
 * import { resolveEndpoint } from '@brokerwire/core/endpoints'
 *
 * const endpoint = resolveEndpoint({ region: 'us', environment: 'sandbox' })
 * console.log(endpoint.httpUrl)
 * ```
 */
export function resolveEndpoint(given: EndpointOptions): Endpoint {
  const options = readOptions(fail, given, ENDPOINT_OPTIONS)
  const { region, environment, allowInsecure } = options
  const overrides: NonNullable<EndpointOptions['overrides']> = options.overrides ?? {}
  for (const entry of ['httpUrl', 'eventsUrl', 'moduleEventsUrl'] as const) {
    const url = overrides[entry]
    if (url !== undefined) requireSecureOrigin(fail, `overrides.${entry}`, url, allowInsecure)
  }
  const table = ENDPOINTS[region][environment]
  const replaced = Object.entries(overrides).filter(([, value]) => value !== undefined)
  const own = Object.fromEntries(replaced) as Partial<EndpointEntry>
  const endpoint = { region, environment, ...table, ...own }
  if (endpoint.httpUrl === table.httpUrl) return endpoint
  // MQTT sessions belong to the HTTP host: if that is replaced, the table's MQTT hosts do not know them.
  return { ...endpoint, mqttUrl: own.mqttUrl, mqttWebSocketUrl: own.mqttWebSocketUrl }
}

/**
 * The address under an entry.
 *
 * @throws {@link CoreError} `ENDPOINT_UNKNOWN` where no source names it, or `overrides` replaced `httpUrl` alone and
 * the table's MQTT hosts are another world's; with the option that sets it.
 *
 * @example
 * ```ts
 * import { requireUrl, resolveEndpoint } from '@brokerwire/core/endpoints'
 *
 * const endpoint = resolveEndpoint({ region: 'us', environment: 'sandbox' })
 * console.log(requireUrl(endpoint, 'httpUrl'))
 * ```
 */
export function requireUrl(
  endpoint: Endpoint,
  entry: 'httpUrl' | 'eventsUrl' | 'moduleEventsUrl' | 'mqttUrl' | 'mqttWebSocketUrl',
): string {
  const url = endpoint[entry]
  if (url !== undefined) return url
  const { region, environment } = endpoint
  const option = `overrides.${entry}`
  throw new CoreError(
    'ENDPOINT_UNKNOWN',
    `the ${entry} of ${region} ${environment} is not known here: set the option ${option}`,
    { details: { option, region, environment } },
  )
}
