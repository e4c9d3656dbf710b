/** The exporter of a relay: `/metrics` in the text format of Prometheus, from the reports to the relay's observer. */
import type { RelayConfig, RelayStatus, SinkState, StartRelayOptions } from '@brokerwire/relay'
import { collectDefaultMetrics } from 'prom-client'
import { createMetricSet } from '../metrics/definition.ts'
import { RELAY_METRICS } from '../metrics/relay-metrics.ts'
import { readVersion } from '../version.ts'

type Observer = NonNullable<StartRelayOptions['observer']>
type Reports = { readonly [K in keyof Observer]-?: Parameters<NonNullable<Observer[K]>>[0] }
type Notice = Reports['onRelayNotice']['notice']
type GapCause = Extract<Notice, { readonly kind: 'gap' }>['cause']
type ReconnectReason = Extract<Notice, { readonly kind: 'reconnecting' }>['reason']

/** Every value is exported from the start, because Prometheus counts an increase only from an earlier value. */
const CAUSES: Readonly<Record<GapCause, true>> = {
  'before-subscription': true,
  restart: true,
  disconnected: true,
  'no-cursor': true,
  'cursor-rejected': true,
  'stream-truncated': true,
}
const REASONS: Readonly<Record<ReconnectReason, true>> = {
  status: true,
  ended: true,
  'ended-before-subscribed': true,
  'subscribe-timeout': true,
  expired: true,
  'heartbeat-lost': true,
  'connection-limit': true,
  'auth-error': true,
  'cursor-rejected': true,
  'access-token': true,
}
const TOKEN_STATES: Readonly<Record<Reports['onRelayToken']['state'], true>> = {
  usable: true,
  missing: true,
  'awaits-confirmation': true,
  'needs-person': true,
  failed: true,
}

const COUNTERS_OF_APP = ['appFailures', 'messages', 'io', 'duplicates', 'oversized', 'pauses'] as const

/** The exporter of a relay. */
export interface RelayExporter {
  /** The value of the header `content-type`. */
  readonly contentType: string
  /** Returns the metrics as text. */
  read(): Promise<string>
  readonly observer: Observer
  /** Reports the state of an app's sink. */
  onSinkState(app: string, state: SinkState): void
  /** Sets the name of the relay, which is known when it has started. */
  started(relay: string): void
}

/** @param status - Returns the current status of the relay. */
export function createRelayExporter(config: RelayConfig, status: () => RelayStatus): RelayExporter {
  const { registry, metrics } = createMetricSet(RELAY_METRICS)
  collectDefaultMetrics({ register: registry })
  const subscriptionsOf = (name: string): readonly string[] =>
    config.apps.find((app) => app.name === name)?.subscriptions ?? []
  /** The apps that this relay holds. An app that it does not hold has counters here, and no state. */
  const held = new Set<string>()
  const setStreamUp = (app: string, subscription: string, value: 0 | 1): void => {
    if (held.has(app)) metrics.streamUp.set({ app, subscription }, value)
  }
  const acquired = (app: string): void => {
    held.add(app)
    metrics.paused.set({ app }, 0)
    for (const subscription of subscriptionsOf(app)) setStreamUp(app, subscription, 0)
  }
  const ended = (app: string): void => {
    held.delete(app)
    metrics.paused.remove({ app })
    metrics.sinkUp.remove({ app })
    for (const subscription of subscriptionsOf(app)) {
      metrics.streamUp.remove({ app, subscription })
      metrics.lastReceived.remove({ app, subscription })
    }
  }
  for (const { name: app, subscriptions } of config.apps) {
    for (const counter of COUNTERS_OF_APP) metrics[counter].inc({ app }, 0)
    for (const previous of ['released', 'lost']) metrics.takeovers.inc({ app, previous }, 0)
    for (const subscription of subscriptions) {
      metrics.events.inc({ app, subscription }, 0)
      metrics.undecodable.inc({ app, subscription }, 0)
      for (const cause of Object.keys(CAUSES)) {
        metrics.gaps.inc({ app, subscription, cause }, 0)
        metrics.gapSeconds.inc({ app, subscription, cause }, 0)
      }
      for (const reason of Object.keys(REASONS)) metrics.reconnects.inc({ app, subscription, reason }, 0)
    }
  }
  return {
    contentType: registry.contentType,
    async read() {
      const { isReady, members, apps } = status()
      metrics.ready.set(isReady ? 1 : 0)
      metrics.members.set(members.length)
      for (const { name: app } of config.apps)
        metrics.appWriting.set({ app }, apps[app] === 'relaying' ? 1 : 0)
      return registry.metrics()
    },
    started(relay) {
      metrics.info.set({ version: readVersion(), cluster: config.cluster, relay }, 1)
    },
    onSinkState(app, { state }) {
      metrics.sinkUp.set({ app }, state === 'writing' ? 1 : 0)
    },
    observer: {
      onRelayMembershipLost: () => metrics.membershipLost.inc(),
      onRelayStoreFailed: () => metrics.storeFailures.inc(),
      onRelayApp({ app, state }) {
        if (state === 'acquired') acquired(app)
        if (state === 'failed') metrics.appFailures.inc({ app })
        if (state === 'failed' || state === 'fenced' || state === 'released') ended(app)
      },
      onRelayTakeover: ({ app, isReleased }) =>
        metrics.takeovers.inc({ app, previous: isReleased ? 'released' : 'lost' }),
      onRelayStored({ app, messages, bytes, sequence, receiveLagMs, storeLagMs }) {
        metrics.messages.inc({ app }, messages)
        metrics.io.inc({ app }, bytes)
        metrics.lastSequence.set({ app }, sequence)
        // A clock that is behind that of the service makes the lag negative.
        if (receiveLagMs !== undefined) metrics.receiveLag.observe({ app }, Math.max(0, receiveLagMs) / 1000)
        if (storeLagMs !== undefined) metrics.storeLag.observe({ app }, storeLagMs / 1000)
      },
      onRelayDuplicates: ({ app, events }) => metrics.duplicates.inc({ app }, events),
      onRelayOversized: ({ app }) => metrics.oversized.inc({ app }),
      onRelayBackpressure({ app, isPaused }) {
        metrics.paused.set({ app }, isPaused ? 1 : 0)
        if (isPaused) metrics.pauses.inc({ app })
      },
      onStreamAlive({ streamId, atMs }) {
        const source = parseStreamId(streamId)
        if (held.has(source.app)) metrics.lastReceived.set(source, atMs / 1000)
      },
      onStreamBatch({ streamId, events, undecodable }) {
        const source = parseStreamId(streamId)
        metrics.events.inc(source, events)
        metrics.undecodable.inc(source, undecodable)
      },
      onRelaySubscription: ({ app, subscription }) => setStreamUp(app, subscription, 0),
      onRelayNotice({ app, subscription, notice }) {
        metrics.notices.inc({ app, subscription, kind: notice.kind })
        if (notice.kind === 'subscribed') setStreamUp(app, subscription, 1)
        if (notice.kind === 'reconnecting') {
          setStreamUp(app, subscription, 0)
          metrics.reconnects.inc({ app, subscription, reason: notice.reason })
        }
        if (notice.kind === 'gap') {
          const { cause, fromMs, toMs } = notice
          metrics.gaps.inc({ app, subscription, cause })
          metrics.gapSeconds.inc({ app, subscription, cause }, Math.max(0, toMs - fromMs) / 1000)
        }
      },
      onRelayToken({ app, state }) {
        for (const one of Object.keys(TOKEN_STATES))
          metrics.tokenState.set({ app, state: one }, one === state ? 1 : 0)
      },
    },
  }
}

/** Returns the app and the subscription of a stream's id, which a relay writes as `app/subscription`. */
function parseStreamId(streamId: string): { readonly app: string; readonly subscription: string } {
  const [app = '', subscription = ''] = streamId.split('/')
  return { app, subscription }
}
