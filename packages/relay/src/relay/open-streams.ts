/** Creates the service's streams of an app from its configuration. */
import type { Clock, ProxyOption, Store, TokenProvider } from '@brokerwire/core'
import type { Endpoint, ServiceIdentity } from '@brokerwire/core/endpoints'
import {
  createStreams,
  createSubscriptionBudget,
  type StreamSigner,
  type Streams,
  type StreamsObserver,
} from '@brokerwire/streams'
import type { RelayAppConfig } from '../config/parse-config.ts'

export function openStreams({
  app,
  signer,
  endpoint,
  identity,
  store,
  clock,
  accessTokens,
  slotLingerMs,
  observer,
  proxy,
}: {
  readonly app: RelayAppConfig
  readonly signer: StreamSigner
  readonly endpoint: Endpoint
  readonly identity: ServiceIdentity
  readonly store: Store
  readonly clock: Clock
  readonly accessTokens: TokenProvider | undefined
  readonly slotLingerMs: number
  readonly observer: StreamsObserver
  readonly proxy: ProxyOption | undefined
}): Streams<unknown> {
  return createStreams<unknown>({
    signer,
    eventsUrl: app.subscriptions.some((one) => one !== 'module') ? endpoint.eventsUrl : undefined,
    moduleEventsUrl: app.subscriptions.includes('module') ? endpoint.moduleEventsUrl : undefined,
    allowInsecure: app.allowInsecure,
    accessTokens,
    store,
    identity,
    clock,
    observer,
    connection: { proxy },
    supervision: {
      // After this delay, connections of other clients may no longer linger.
      connectionLimitWaitMs: Math.max(1000, slotLingerMs),
      // The service keeps module events for some time only. If it rejects an older cursor, the stream
      // continues from now, after a gap.
      onCursorRejected: 'from-now',
    },
    // The relay itself counts lingering connections, so each app has its own budget.
    budget: createSubscriptionBudget(),
  })
}
