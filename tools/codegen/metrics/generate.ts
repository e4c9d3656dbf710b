/** METRICS.md of packages/otel, from the table of the metrics. */
import { METRICS, type Metric } from '../../../packages/otel/src/metrics.ts'
import type { Generated } from '../files.ts'

const PAGE = 'packages/otel/METRICS.md'

/** The meaning of each attribute, and its values. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  'http.request.method': 'HTTP method',
  'http.response.status_code': 'HTTP status, if headers of a response arrived',
  'error.type': 'error code of this toolkit, such as `HTTP_TIMEOUT`; none for a success',
  'server.address': 'host of the service',
  'server.port': 'port of the service',
  'brokerwire.operation': 'name of the operation, such as `orders.place`; none for a request without a name',
  'brokerwire.client.id': 'option `clientId` of the client, the tokens or the market data',
  'brokerwire.stream.id':
    'option `streamId` of the stream; in a relay the names of the app and the subscription, such as `team-a/trade`',
  'brokerwire.stream.kind': '`trade`, `position`, `account`, `module`',
  'brokerwire.discard.reason': '`duplicate`, `filtered`; for market data `replaced`, `overflow`',
  'brokerwire.gap.cause': 'property `cause` of the notice',
  'brokerwire.reconnect.reason': 'property `reason` of the notice',
  'brokerwire.notice.kind': 'property `kind` of the notice',
  'brokerwire.token.call': 'name of the call, as errors name it',
  'brokerwire.quotes.connection': 'number of the connection, from 1',
  'brokerwire.relay.app': 'name of the app in the configuration of the relay',
  'brokerwire.relay.subscription': '`trade`, `position`, `module`',
  'brokerwire.relay.released': '`true` if the relay that wrote before released the app, or if there was none',
  'brokerwire.state': 'a state or phase; one series for each',
}

const UNITS: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' }

/** The name in the text format of Prometheus, without the suffixes of a histogram's series. */
function prometheusName({ name, unit, kind }: Metric): string {
  const parts = [name.replaceAll('.', '_'), UNITS[unit], kind === 'counter' ? 'total' : undefined]
  return parts.filter((part) => part !== undefined).join('_')
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const code = (text: string): string => `\`${text}\``

export function generate(): Generated {
  const metrics: readonly Metric[] = Object.values(METRICS)
  const used = new Set(metrics.flatMap(({ attributes }) => attributes))
  const missing = [...used].filter((name) => ATTRIBUTES[name] === undefined)
  if (missing.length > 0) throw new Error(`ATTRIBUTES must have ${missing.join(', ')}`)
  const page = `<!-- Written by pnpm generate metrics. Do not edit. -->

# Metrics

All metrics of \`@brokerwire/otel\`. The second column has the name that OpenTelemetry's exporter for Prometheus writes; histograms
add \`_bucket\`, \`_count\` and \`_sum\`.

${table(
  ['Name', 'In Prometheus', 'Kind', 'Unit', 'Meaning', 'Attributes'],
  metrics.map((metric) => [
    code(metric.name),
    code(prometheusName(metric)),
    metric.kind,
    code(metric.unit),
    metric.description,
    metric.attributes.map(code).join(', ') || 'none',
  ]),
)}

## Attributes

No account id, app key, order id or path is an attribute. Names that you choose, such as \`streamId\`, must not contain one either.

${table(
  ['Attribute', 'Values'],
  Object.entries(ATTRIBUTES)
    .filter(([name]) => used.has(name))
    .map(([name, text]) => [code(name), text]),
)}
`
  return { files: new Map([[PAGE, page]]) }
}
