/**
 * From region and environment to addresses.
 *
 * Nothing has a default here: a sandbox key must not reach production because somebody left an option out.
 */
import { CoreError, coreOptionFailure } from '../core-error.ts'
import { requireOptions } from '../known-options.ts'
import { type OptionFailure, readOneOf, requireText } from '../options.ts'
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

/** Reads an entry that replaces the table's. */
type EntryReader = (failure: OptionFailure, option: string, value: unknown, allowInsecure?: boolean) => string

const readAlgorithm: EntryReader = (failure, option, value) =>
  readOneOf(failure, option, value, ['HMAC-SHA1', 'HMAC-SHA256'])

/** What can be replaced. Who connects to market data reads its addresses. */
const ENTRIES: { readonly [Entry in keyof EndpointEntry]-?: EntryReader } = {
  httpUrl: readOrigin,
  eventsUrl: readOrigin,
  moduleEventsUrl: readOrigin,
  mqttUrl: requireText,
  mqttWebSocketUrl: requireText,
  algorithm: readAlgorithm,
  streamAlgorithm: readAlgorithm,
}

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
  // A misspelled entry would leave the table's own host in place: an address that the caller meant to replace.
  const overrides = requireOptions<object>(
    fail,
    'overrides',
    options.overrides === undefined ? {} : options.overrides,
    ENTRIES,
  ) as Readonly<Record<string, unknown>>
  const replaced = Object.entries(ENTRIES)
    .filter(([entry]) => overrides[entry] !== undefined)
    .map(([entry, read]) => [
      entry,
      read(fail, `overrides.${entry}`, overrides[entry], options.allowInsecure),
    ])
  const own: Partial<EndpointEntry> = Object.fromEntries(replaced)
  const endpoint = { region, environment, ...table, ...own }
  if (endpoint.httpUrl === table.httpUrl) return endpoint
  // A session of one world is unknown in the other: where HTTP goes elsewhere, the table's MQTT hosts are nobody's.
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
