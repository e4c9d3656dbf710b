/** The metrics of `brokerwire relay` and of `@brokerwire/otel`, joined by their names in Prometheus. */
import type { MetricDefinition } from '../../../packages/cli/src/metrics/definition.ts'
import { RELAY_METRICS } from '../../../packages/cli/src/metrics/relay-metrics.ts'
import { METRIC_ATTRIBUTES } from '../../../packages/otel/src/metric-attributes.ts'
import { METRICS, type Metric } from '../../../packages/otel/src/metrics.ts'

/** A metric of `@brokerwire/otel` with its attributes. */
type OtelMetric = Metric & { readonly attributes: readonly string[] }

/** One metric by its name in Prometheus. At least one of the two exports it. */
interface JoinedMetric {
  readonly name: string
  readonly relay: MetricDefinition | undefined
  readonly otel: OtelMetric | undefined
}

const UNITS: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' }

/** The name that OpenTelemetry's exporter for Prometheus writes, without the suffixes of a histogram's series. */
function prometheusName({ name, unit, kind }: Metric): string {
  const parts = [name.replaceAll('.', '_'), UNITS[unit], kind === 'counter' ? 'total' : undefined]
  return parts.filter((part) => part !== undefined).join('_')
}

/** Returns all metrics, sorted by name. */
export function joinMetrics(): readonly JoinedMetric[] {
  const relay = new Map<string, MetricDefinition>(
    Object.values(RELAY_METRICS).map((metric) => [metric.name, metric]),
  )
  const otel = new Map<string, OtelMetric>(
    Object.entries(METRICS).map(([key, metric]) => {
      const attributes = METRIC_ATTRIBUTES[key as keyof typeof METRICS]
      return [prometheusName(metric), { ...metric, attributes }]
    }),
  )
  const names = [...new Set([...relay.keys(), ...otel.keys()])].sort()
  return names.map((name) => ({ name, relay: relay.get(name), otel: otel.get(name) }))
}

interface Attribute {
  /** The labels of `brokerwire relay` with the same value. */
  readonly labels?: readonly string[]
  /** The meaning, and the values. */
  readonly text: string
}

/** All attributes and labels. */
export const ATTRIBUTES: Readonly<Record<string, Attribute>> = {
  'http.request.method': { text: 'HTTP method' },
  'http.response.status_code': { text: 'HTTP status, if headers of a response arrived' },
  'error.type': { text: 'error code of this toolkit, such as `HTTP_TIMEOUT`; none for a success' },
  'server.address': { text: 'host of the service' },
  'server.port': { text: 'port of the service' },
  'brokerwire.operation': {
    text: 'name of the operation, such as `orders.place`; none for a request without a name',
  },
  'brokerwire.client.id': { text: 'option `clientId` of the client, the tokens or the market data' },
  'brokerwire.stream.id': {
    labels: ['app', 'subscription'],
    text: 'option `streamId` of the stream; in a relay the names of the app and the subscription, such as `team-a/trade`',
  },
  'brokerwire.stream.kind': {
    labels: ['subscription'],
    text: '`trade`, `position`, `account`, `module`',
  },
  'brokerwire.discard.reason': { text: '`duplicate`, `filtered`; for market data `replaced`, `overflow`' },
  'brokerwire.gap.cause': { labels: ['cause'], text: 'property `cause` of the notice' },
  'brokerwire.reconnect.reason': { labels: ['reason'], text: 'property `reason` of the notice' },
  'brokerwire.notice.kind': { labels: ['kind'], text: 'property `kind` of the notice' },
  'brokerwire.token.call': { text: 'name of the call, as errors name it' },
  'brokerwire.quotes.connection': { text: 'number of the connection, from 1' },
  'brokerwire.relay.app': { labels: ['app'], text: 'name of the app in the configuration of the relay' },
  'brokerwire.relay.subscription': { labels: ['subscription'], text: '`trade`, `position`, `module`' },
  'brokerwire.relay.previous': {
    labels: ['previous'],
    text: '`released` if the last writer ended in good order or there was none, otherwise `lost`',
  },
  'brokerwire.state': { labels: ['state'], text: 'a state or phase; one series for each' },
}
