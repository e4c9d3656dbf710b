/** Where the events of a key come from: what its configuration names, otherwise what is known of its region and environment. */

import { type EndpointOptions, resolveEndpoint } from '@brokerwire/core/endpoints'
import type { OptionFailure } from '@brokerwire/core/internal'
import type { Subscription } from '../fleet/slots.ts'

/** What a key says of it. */
interface EventSources extends Pick<EndpointOptions, 'region' | 'environment' | 'allowInsecure'> {
  readonly streams: readonly Subscription[]
  readonly eventsUrl?: string | undefined
  readonly moduleEventsUrl?: string | undefined
}

/** Of the subscriptions that the key has. */
export interface EventOrigins {
  readonly eventsUrl: string | undefined
  readonly moduleEventsUrl: string | undefined
}

/** @throws What `fail` makes, with the field below `path` that has to name what nobody knows. */
export function originsOf(key: EventSources, path: string, fail: OptionFailure): EventOrigins {
  const { region, environment, streams, allowInsecure, eventsUrl, moduleEventsUrl } = key
  const overrides = { eventsUrl, moduleEventsUrl }
  const endpoint = resolveEndpoint({ region, environment, overrides, allowInsecure })
  const hasModules = streams.includes('module')
  if (hasModules && endpoint.moduleEventsUrl === undefined) {
    const expected = `the origin of the module events, as none is known for ${region} ${environment}`
    throw fail(`${path}.moduleEventsUrl`, expected, 'nothing')
  }
  return {
    eventsUrl: streams.some((stream) => stream !== 'module') ? endpoint.eventsUrl : undefined,
    moduleEventsUrl: hasModules ? endpoint.moduleEventsUrl : undefined,
  }
}
