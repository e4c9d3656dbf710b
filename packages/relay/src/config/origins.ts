/** Addresses of a key: those of its configuration, otherwise those of its region and environment. */
import { type Endpoint, type EndpointOptions, resolveEndpoint } from '@brokerwire/core/endpoints'
import type { OptionFailure } from '@brokerwire/core/internal'
import type { Subscription } from '../wire/subjects.ts'

/** The fields of a key that select the addresses. */
interface AddressFields extends Pick<EndpointOptions, 'region' | 'environment' | 'allowInsecure'> {
  readonly streams: readonly Subscription[]
  readonly sendAccessToken: boolean
  readonly eventsUrl?: string | undefined
  readonly moduleEventsUrl?: string | undefined
  readonly httpUrl?: string | undefined
}

/** Addresses of the configuration. If it replaces one of the table, none of the table's others is taken. */
export const endpointOverrides = ({ httpUrl, eventsUrl, moduleEventsUrl }: AddressFields) => ({
  httpUrl,
  eventsUrl,
  moduleEventsUrl,
})

/** @throws What `fail` creates if an address is needed and not known. */
export function resolveKeyEndpoint(key: AddressFields, path: string, fail: OptionFailure): Endpoint {
  const { region, environment, streams, sendAccessToken, allowInsecure } = key
  const endpoint = resolveEndpoint({ region, environment, overrides: endpointOverrides(key), allowInsecure })
  const required = {
    eventsUrl: streams.some((stream) => stream !== 'module'),
    moduleEventsUrl: streams.includes('module'),
    httpUrl: sendAccessToken,
  } as const
  for (const name of ['eventsUrl', 'moduleEventsUrl', 'httpUrl'] as const) {
    if (!required[name] || endpoint[name] !== undefined) continue
    const expected = `an origin, because none is known for ${region} ${environment} or another origin of the table is replaced`
    throw fail(`${path}.${name}`, expected, 'undefined')
  }
  return endpoint
}
