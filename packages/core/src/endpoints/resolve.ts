/**
 * From region and environment to addresses.
 *
 * Nothing has a default here: a sandbox key must not reach production because somebody left an option out.
 */
import { CoreError } from '../core-error.ts'
import { describe, isRecord } from '../guards.ts'
import { type OptionFailure, readOneOf } from '../options.ts'
import { ENDPOINTS, type EndpointEntry, type Environment, type Region } from './table.ts'

declare const URL: new (
  text: string,
) => {
  readonly protocol: string
  readonly hostname: string
  readonly origin: string
  readonly pathname: string
  readonly search: string
  readonly hash: string
  readonly username: string
  readonly password: string
}

/** Options of {@link resolveEndpoint}. */
export interface EndpointOptions {
  readonly region: Region
  readonly environment: Environment
  /** Replaces entries of the table one by one. URLs are origins: `https:`, or `http:` on a loopback host. */
  readonly overrides?: { readonly [K in keyof EndpointEntry]?: EndpointEntry[K] | undefined } | undefined
}

/** An entry of the table, resolved. */
export interface Endpoint extends EndpointEntry {
  readonly region: Region
  readonly environment: Environment
}

const URL_ENTRIES = ['httpUrl', 'eventsUrl', 'moduleEventsUrl'] as const
const ENTRIES: readonly string[] = [...URL_ENTRIES, 'algorithm', 'streamAlgorithm']
const ALGORITHMS = ['HMAC-SHA1', 'HMAC-SHA256'] as const
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
const ORIGIN = 'an origin such as https://host or https://host:port; http: only on a loopback host'

const fail: OptionFailure = (option, expected, received) =>
  new CoreError('ENDPOINT_INVALID', `${option}: expected ${expected}, got ${received}`, {
    details: { option, expected, received },
  })

/**
 * Looks up the addresses of a region and environment.
 *
 * An address that no source names stays `undefined` and fails only where it is needed: {@link requireUrl}.
 *
 * @throws {@link CoreError} `ENDPOINT_INVALID`
 */
export function resolveEndpoint(options: EndpointOptions): Endpoint {
  if (!isRecord(options)) throw fail('options', 'an object', describe(options))
  const region = readOneOf(fail, 'region', options.region, ['hk', 'us'])
  const environment = readOneOf(fail, 'environment', options.environment, ['sandbox', 'production'])
  const table = ENDPOINTS[region][environment]
  const overrides = readOverrides(options.overrides)
  const urls = Object.fromEntries(
    URL_ENTRIES.map((entry) => [
      entry,
      overrides[entry] === undefined ? table[entry] : readOrigin(entry, overrides[entry]),
    ]),
  ) as Pick<EndpointEntry, (typeof URL_ENTRIES)[number]>
  return {
    region,
    environment,
    ...urls,
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
 */
export function requireUrl(endpoint: Endpoint, entry: 'httpUrl' | 'eventsUrl' | 'moduleEventsUrl'): string {
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
function readOverrides(value: unknown): NonNullable<EndpointOptions['overrides']> {
  if (value === undefined) return {}
  if (!isRecord(value)) throw fail('overrides', 'an object', describe(value))
  if (Object.keys(value).some((name) => !ENTRIES.includes(name))) {
    throw fail('overrides', `only ${ENTRIES.join(', ')}`, 'an entry of another name')
  }
  return value
}

function readOrigin(entry: string, value: unknown): string {
  const option = `overrides.${entry}`
  if (typeof value !== 'string') throw fail(option, ORIGIN, describe(value))
  let url: InstanceType<typeof URL>
  try {
    url = new URL(value)
  } catch {
    throw fail(option, ORIGIN, value === '' ? describe(value) : 'a string that is no URL')
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.test(url.hostname))) {
    throw fail(option, ORIGIN, 'another scheme, or http: on a host that is not loopback')
  }
  if (url.username !== '' || url.password !== '') throw fail(option, ORIGIN, 'a URL with credentials')
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw fail(option, ORIGIN, 'a URL with a path, a query or a fragment')
  }
  return url.origin
}
