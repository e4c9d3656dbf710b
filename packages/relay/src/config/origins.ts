/** Origins of a key's events: those of its configuration, otherwise those of its region and environment. */

import { type EndpointOptions, resolveEndpoint } from '@brokerwire/core/endpoints'
import type { OptionFailure } from '@brokerwire/core/internal'
import type { Subscription } from '../fleet/slots.ts'

/** The fields of a key that select the origins. */
interface EventSources extends Pick<EndpointOptions, 'region' | 'environment' | 'allowInsecure'> {
  readonly streams: readonly Subscription[]
  readonly eventsUrl?: string | undefined
  readonly moduleEventsUrl?: string | undefined
}

/** Origins of the key's subscriptions. */
export interface EventOrigins {
  readonly eventsUrl: string | undefined
  readonly moduleEventsUrl: string | undefined
}

/** @throws What `fail` creates if the origin of module events is needed and not known. */
export function originsOf(key: EventSources, path: string, fail: OptionFailure): EventOrigins {
  const { region, environment, streams, allowInsecure, eventsUrl, moduleEventsUrl } = key
  const overrides = { eventsUrl, moduleEventsUrl }
  const endpoint = resolveEndpoint({ region, environment, overrides, allowInsecure })
  const hasModules = streams.includes('module')
  if (hasModules && endpoint.moduleEventsUrl === undefined) {
    const expected = `the origin of the module events, because none is known for ${region} ${environment}`
    throw fail(`${path}.moduleEventsUrl`, expected, 'undefined')
  }
  return {
    eventsUrl: streams.some((stream) => stream !== 'module') ? endpoint.eventsUrl : undefined,
    moduleEventsUrl: hasModules ? endpoint.moduleEventsUrl : undefined,
  }
}
