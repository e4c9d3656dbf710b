/** docs/metrics.md: the metrics and the log lines of the command line, from their tables. */
import type { MetricDefinition, MetricTable } from '../../../packages/cli/src/metrics/definition.ts'
import { RELAY_METRICS } from '../../../packages/cli/src/metrics/relay-metrics.ts'
import { SIMULATOR_METRICS } from '../../../packages/cli/src/metrics/simulator-metrics.ts'
import { LOG_EVENTS } from '../../../packages/cli/src/relay/log-events.ts'

const metricRow = ({ name, type, labels, help }: MetricDefinition): string => {
  const names = labels.map((label) => `\`${label}\``).join(', ')
  return `| \`${name}\` | ${type} | ${names} | ${help} |`
}

const metricTable = (table: MetricTable): string =>
  ['| Metric | Type | Labels | Meaning |', '|---|---|---|---|', ...Object.values(table).map(metricRow)].join(
    '\n',
  )

const logTable = (): string =>
  [
    '| `event` | `level` | `msg` |',
    '|---|---|---|',
    ...Object.entries(LOG_EVENTS).map(([event, { level, msg }]) => `| \`${event}\` | ${level} | ${msg} |`),
  ].join('\n')

export function metricsPage(): string {
  return `<!-- Written by pnpm generate cli. -->
# Metrics and log lines

The metrics of \`brokerwire relay\` and \`brokerwire simulate\`, and the log lines of a relay.
[observability.md](observability.md) has the alerts and a dashboard for them.

No label contains an account, an app key, an order id or a path. The label \`app\` is a name that you choose.

## brokerwire relay

\`GET /metrics\` on the address of \`health\`, by default \`http://127.0.0.1:8480\`. Counters start at 0 with the process. The metrics
of Node's process (\`process_*\`, \`nodejs_*\`) are those of [prom-client](https://github.com/siimon/prom-client).

${metricTable(RELAY_METRICS)}

## brokerwire simulate

\`GET /metrics\` on the HTTP address of the simulator, without a signature.

${metricTable(SIMULATOR_METRICS)}

## Log lines of brokerwire relay

Each line is a JSON object with \`level\`, \`time\` (ISO 8601, UTC), \`event\` and \`msg\`. The names of the events are stable. An error is in
\`err\`, with \`type\`, \`message\` and, if it has one, \`code\`. These fields are those of pino with level names and ISO times, so \`pino-pretty\`
prints the lines. To filter by level, use the names: \`jq 'select(.level != "info")'\`.

${logTable()}
`
}
