/**
 * From region and environment to addresses.
 *
 * Nothing has a default here: a sandbox key must not reach production because somebody left an option out.
 */
import { CoreError, coreOptionFailure } from '../core-error.ts'
import { requireOptions } from '../known-options.ts'
import { readOneOf, requireText } from '../options.ts'
import { readOrigin } from '../origin.ts'
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

const URL_ENTRIES = ['httpUrl', 'eventsUrl', 'moduleEventsUrl'] as const
const MQTT_ENTRIES = ['mqttUrl', 'mqttWebSocketUrl'] as const
const ALGORITHMS = ['HMAC-SHA1', 'HMAC-SHA256'] as const

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
  const options = requireOptions(fail, 'options', given, {
    region: 1,
    environment: 1,
    overrides: 1,
    allowInsecure: 1,
  })
  const region = readOneOf(fail, 'region', options.region, ['hk', 'us'])
  const environment = readOneOf(fail, 'environment', options.environment, ['sandbox', 'production'])
  const table = ENDPOINTS[region][environment]
  const overrides = readOverrides(options.overrides)
  const urls = Object.fromEntries(
    URL_ENTRIES.map((entry) => [
      entry,
      overrides[entry] === undefined
        ? table[entry]
        : readOrigin(fail, `overrides.${entry}`, overrides[entry], options.allowInsecure),
    ]),
  ) as Pick<EndpointEntry, (typeof URL_ENTRIES)[number]>
  // A session of one world is unknown in the other: where HTTP goes elsewhere, the table's MQTT hosts are nobody's.
  const isMoved = urls.httpUrl !== table.httpUrl
  const mqttUrls = Object.fromEntries(
    MQTT_ENTRIES.map((entry) => [
      entry,
      overrides[entry] === undefined
        ? isMoved
          ? undefined
          : table[entry]
        : // Who connects there reads it.
          requireText(fail, `overrides.${entry}`, overrides[entry]),
    ]),
  ) as Pick<EndpointEntry, (typeof MQTT_ENTRIES)[number]>
  return {
    region,
    environment,
    ...urls,
    ...mqttUrls,
    algorithm: readOneOf(fail, 'overrides.algorithm', overrides.algorithm, ALGORITHMS, table.algorithm),
    streamAlgorithm: readOneOf(
      fail,
      'overrides.streamAlgorithm',
      overrides.streamAlgorithm,
      ALGORITHMS,
      table.streamAlgorithm,
    ),
  }
}

/**
 * The address under an entry.
 *
 * @throws {@link CoreError} `ENDPOINT_UNKNOWN` where no source names it, with the option that sets it.
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
    `no public source names the ${entry} of ${region} ${environment}: set the option ${option}`,
    { details: { option, region, environment } },
  )
}

/** A misspelled entry would leave the table's own host in place: an address that the caller meant to replace. */
function readOverrides(value: EndpointOptions['overrides']): NonNullable<EndpointOptions['overrides']> {
  return requireOptions(fail, 'overrides', value === undefined ? {} : value, {
    httpUrl: 1,
    eventsUrl: 1,
    moduleEventsUrl: 1,
    mqttUrl: 1,
    mqttWebSocketUrl: 1,
    algorithm: 1,
    streamAlgorithm: 1,
  })
}
