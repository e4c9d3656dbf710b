/** docs/reference/metrics.md: the metrics of relays, the simulator and OpenTelemetry, and the log lines of relays. */
import { SIMULATOR_METRICS } from '../../../packages/cli/src/metrics/simulator-metrics.ts'
import { LOG_EVENTS } from '../../../packages/cli/src/relay/log-events.ts'
import { ATTRIBUTES, joinMetrics } from './metrics.ts'

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const code = (text: string): string => `\`${text}\``
const codes = (texts: readonly string[] | undefined): string => (texts ?? []).map(code).join(', ')

const metricTable = (): string =>
  table(
    ['In Prometheus', 'Kind', 'Meaning', '`brokerwire relay`', '`@brokerwire/otel`'],
    joinMetrics().map(({ name, relay, otel }) => [
      code(name),
      relay?.type ?? otel?.kind ?? '',
      relay?.help ?? otel?.description ?? '',
      relay === undefined ? '' : codes(relay.labels) || 'no label',
      otel === undefined
        ? ''
        : [code(otel.name), codes(otel.attributes)].filter((cell) => cell !== '').join(': '),
    ]),
  )

const attributeTable = (): string =>
  table(
    ['Attribute', 'Label', 'Meaning'],
    Object.entries(ATTRIBUTES).map(([name, { labels, text }]) => [code(name), codes(labels), text]),
  )

const simulatorTable = (): string =>
  table(
    ['Metric', 'Kind', 'Labels', 'Meaning'],
    Object.values(SIMULATOR_METRICS).map(({ name, type, labels, help }) => [
      code(name),
      type,
      codes(labels),
      help,
    ]),
  )

const logTable = (): string =>
  table(
    ['`event`', '`level`', '`msg`'],
    Object.entries(LOG_EVENTS).map(([event, { level, msg }]) => [code(event), level, msg]),
  )

export function metricsPage(): string {
  return `<!-- Written by pnpm generate metrics. -->
# Metrics and log lines

The metrics of \`brokerwire relay\`, \`brokerwire simulate\` and [\`@brokerwire/otel\`](../../packages/otel/README.md), and the log lines of a
relay. [observability.md](../guides/observability.md) has alerts and a dashboard for a relay.

No label and no attribute contains an account, an app key, an order id or a path. Names that you choose, such as those of apps, a
\`streamId\` or a \`clientId\`, must not contain one either.

## Relays and OpenTelemetry

- \`brokerwire relay\` serves \`GET /metrics\` on the address of \`health\`, by default \`http://127.0.0.1:8480\`. Its counters start at 0 with
  the process. It also exports the metrics of Node's process (\`process_*\`, \`nodejs_*\`) of
  [prom-client](https://github.com/siimon/prom-client).
- \`@brokerwire/otel\` records the metrics of a program that uses the packages. OpenTelemetry's exporter for Prometheus writes the names of
  the first column, with attributes such as \`brokerwire_relay_app\` as labels.

The fourth column has the labels of a metric of \`brokerwire relay\`, and the fifth its name and attributes in OpenTelemetry. A metric that
both export has the same meaning in both. An empty cell means that it is not exported there. Names in Prometheus end in the unit, and a
histogram adds \`_bucket\`, \`_count\` and \`_sum\`.

${metricTable()}

## Labels and attributes

${attributeTable()}

## brokerwire simulate

\`GET /metrics\` on the HTTP address of the simulator, without a signature. The label \`app\` is the name of a simulated app.

${simulatorTable()}

## Log lines of brokerwire relay

Each line is a JSON object with \`level\`, \`time\` (ISO 8601, UTC), \`event\` and \`msg\`. The names of the events are stable. An error is in
\`err\`, with \`type\`, \`message\` and, if it has one, \`code\`. These fields are those of pino with level names and ISO times, so \`pino-pretty\`
prints the lines. To filter by level, use the names: \`jq 'select(.level != "info")'\`.

${logTable()}
`
}
