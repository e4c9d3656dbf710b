/** The service's addresses for an app: from its configuration, otherwise from the table of regions and environments. */
import { type Endpoint, type EndpointOptions, resolveEndpoint } from '@brokerwire/core/endpoints'
import type { OptionFailure } from '@brokerwire/core/internal'
import type { Subscription } from '../wire/subjects.ts'

/** The fields of an app that select the addresses. */
interface AddressFields extends Pick<EndpointOptions, 'region' | 'environment' | 'allowInsecure'> {
  readonly subscriptions: readonly Subscription[]
  readonly sendAccessToken: boolean
  readonly eventsUrl?: string | undefined
  readonly moduleEventsUrl?: string | undefined
  readonly baseUrl?: string | undefined
}

/**
 * Returns the addresses of the configuration. If one of them replaces an address of the table, the other
 * addresses of the table are not used.
 */
export const endpointOverrides = ({ baseUrl, eventsUrl, moduleEventsUrl }: AddressFields) => ({
  baseUrl,
  eventsUrl,
  moduleEventsUrl,
})

/** Returns the addresses for an app. @throws The error of `fail` if a required address is unknown. */
export function resolveAppEndpoint(app: AddressFields, path: string, fail: OptionFailure): Endpoint {
  const { region, environment, subscriptions, sendAccessToken, allowInsecure } = app
  const endpoint = resolveEndpoint({ region, environment, overrides: endpointOverrides(app), allowInsecure })
  const required = {
    eventsUrl: subscriptions.some((one) => one !== 'module'),
    moduleEventsUrl: subscriptions.includes('module'),
    baseUrl: sendAccessToken,
  } as const
  for (const name of ['eventsUrl', 'moduleEventsUrl', 'baseUrl'] as const) {
    if (!required[name] || endpoint[name] !== undefined) continue
    const expected = `an origin, because none is known for ${region} ${environment} or another origin of the table is replaced`
    throw fail(`${path}.${name}`, expected, 'undefined')
  }
  return endpoint
}
