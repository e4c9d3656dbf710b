/** The metrics of a relay under load, and the files of `deploy/observability`, with a real Prometheus. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { type Prometheus, promtool, startPrometheus } from '@brokerwire/testing/prometheus'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { MetricDefinition } from './metrics/definition.ts'
import { RELAY_METRICS } from './metrics/relay-metrics.ts'
import { SIMULATOR_METRICS } from './metrics/simulator-metrics.ts'
import { SLOW, startRelay } from './test/relay-process.ts'
import { startService } from './test/service.ts'
import { temporaryFolder } from './test/temporary.ts'

const { skip, note } = needs('prometheus')
const service = await startService('--scenario', 'none', '--interval', '20')
const { env, control } = service
const fileOf = (name: string): string =>
  fileURLToPath(new URL(`../../../deploy/observability/${name}`, import.meta.url))

/** Starts a relay of one app, with files unless `change` has another sink. */
async function startOneRelay(change: object = {}) {
  const folder = await temporaryFolder()
  const file = join(folder, 'relay.json')
  const app = {
    name: 'team-a',
    region: env.BROKERWIRE_REGION,
    environment: env.BROKERWIRE_ENVIRONMENT,
    appKey: { env: 'BROKERWIRE_APP_KEY' },
    appSecret: { env: 'BROKERWIRE_APP_SECRET' },
    accounts: env.BROKERWIRE_ACCOUNTS?.split(','),
    modules: ['application'],
    eventsUrl: env.BROKERWIRE_EVENTS_URL,
    moduleEventsUrl: env.BROKERWIRE_MODULE_EVENTS_URL,
    baseUrl: env.BROKERWIRE_BASE_URL,
  }
  const config = {
    apps: [app],
    sink: { type: 'file', directory: join(folder, 'events') },
    store: { type: 'file', directory: join(folder, 'state') },
    health: { port: 0 },
    slotLingerMs: 0,
    ...change,
  }
  await writeFile(file, JSON.stringify(config))
  const relay = startRelay(['--config', file], env)
  const { health = '' } = await relay.said('health.serving')
  return { relay, health }
}

describe('/metrics', { timeout: 120_000 }, () => {
  test('has the state of the subscriptions and the counters of an app, and no account or app key', async () => {
    const { relay, health } = await startOneRelay()
    await relay.said('stream.subscribed', 3)
    await control.emit({ order: {} })
    const read = async () => (await fetch(`${health}/metrics`)).text()
    // Notices are stored messages too, so the wait is for the lag, which only the event has.
    await expect.poll(read, SLOW).toMatch(/^brokerwire_relay_store_lag_seconds_count\{app="team-a"\} [1-9]/m)
    const response = await fetch(`${health}/metrics`)
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = await response.text()
    expect(text).toMatch(/^brokerwire_relay_info\{version="[^"]+",cluster="main",relay="[^"]+"\} 1$/m)
    expect(text).toMatch(/^brokerwire_relay_messages_total\{app="team-a"\} [1-9]/m)
    expect(text).toMatch(/^brokerwire_relay_ready 1$/m)
    expect(text).toMatch(/^brokerwire_relay_app_writing\{app="team-a"\} 1$/m)
    for (const subscription of ['trade', 'position', 'module'])
      expect(text).toContain(`brokerwire_stream_up{app="team-a",subscription="${subscription}"} 1\n`)
    for (const name of ['receive', 'store'])
      expect(text).toMatch(
        new RegExp(`^brokerwire_relay_${name}_lag_seconds_count\\{app="team-a"\\} [1-9]`, 'm'),
      )
    expect(text).toContain('brokerwire_stream_events_total{app="team-a",subscription="trade"} 1\n')
    expect(text).toMatch(/^brokerwire_stream_last_received_timestamp_seconds\{.*subscription="module"\} \d/m)
    expect(text).toContain('brokerwire_relay_takeovers_total{app="team-a",previous="released"} 1\n')
    expect(text).toContain('process_start_time_seconds')
    const accounts = env.BROKERWIRE_ACCOUNTS?.split(',') ?? []
    for (const secret of [env.BROKERWIRE_APP_KEY, env.BROKERWIRE_APP_SECRET, ...accounts])
      expect(text).not.toContain(secret)
    expect(await relay.stop()).toEqual([0, null])
  })

  test('responds with 200 while the relay waits for its server', async () => {
    const sink = { type: 'jetstream', servers: ['nats://127.0.0.1:1'] }
    const { relay, health } = await startOneRelay({ sink })
    const text = await (await fetch(`${health}/metrics`)).text()
    expect(text).toMatch(/^brokerwire_relay_ready 0$/m)
    expect(text).toMatch(/^brokerwire_relay_app_writing\{app="team-a"\} 0$/m)
    expect(await relay.stop()).toEqual([143, null])
  })
})

const METRICS: readonly MetricDefinition[] = Object.values(RELAY_METRICS)
/** The names of all series: those of a histogram end in `_bucket`, `_sum` and `_count`. */
const SERIES: readonly string[] = METRICS.flatMap(({ name, type }) =>
  type === 'histogram' ? ['bucket', 'sum', 'count'].map((end) => `${name}_${end}`) : [name],
)
const alerts = await readFile(fileOf('alerts.yaml'), 'utf8')
const dashboard = JSON.parse(await readFile(fileOf('dashboard.json'), 'utf8')) as {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[]
}
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

describe('the files of deploy/observability', () => {
  test('name only metrics that the relay exports', () => {
    expect(expressions.length).toBeGreaterThan(20)
    const named = [alerts, ...expressions].flatMap((text) => text.match(/\bbrokerwire_\w+/g) ?? [])
    expect([...new Set(named)].filter((name) => !SERIES.includes(name))).toEqual([])
  })

  test('have one row in docs/guides/observability.md for each alert, with its severity', async () => {
    const page = await readFile(new URL('../../../docs/guides/observability.md', import.meta.url), 'utf8')
    const rules = [...alerts.matchAll(/- alert: (\w+)[\s\S]*?severity: (\w+)/g)]
    const rows = [...page.matchAll(/^\| `(Brokerwire\w+)` \| (\w+) \|/gm)]
    const namesOf = (matches: readonly RegExpExecArray[]) =>
      matches.map(([, name, severity]) => `${name} ${severity}`)
    expect(namesOf(rows)).toEqual(namesOf(rules))
  })
})

test('no label of a metric is an account, an app key, an order or a path', () => {
  const labels = new Set([...METRICS, ...Object.values(SIMULATOR_METRICS)].flatMap((metric) => metric.labels))
  expect([...labels].sort()).toEqual(
    'app cause cluster kind previous reason relay state status subscription version'.split(' '),
  )
})

describe.skipIf(skip)(`deploy/observability${note}`, REAL_SERVERS, () => {
  test('has rules and a configuration that promtool accepts, and alerts that fire in virtual time', () => {
    promtool('check', 'rules', fileOf('alerts.yaml'))
    promtool('check', 'config', fileOf('prometheus.yaml'))
    promtool('test', 'rules', fileOf('alerts.test.yaml'))
  })

  test('reports a cut stream of a relay under load as an alert, and then its gap', async () => {
    const { relay, health } = await startOneRelay()
    await relay.said('stream.subscribed', 3)
    const rules = join(await temporaryFolder(), 'alerts.yaml')
    await writeFile(rules, alerts.replaceAll(/for: \d+m/g, 'for: 1s'))
    const prometheus = await startPrometheus(new URL(health).host, 'brokerwire-relay', rules)
    onTestFinished(() => prometheus.close())
    const load = setInterval(() => void control.emit({ order: {} }).catch(() => {}), 20)
    onTestFinished(() => clearInterval(load))

    await expect
      .poll(() => value(prometheus, 'rate(brokerwire_relay_messages_total[10s])'), SLOW)
      .toBeGreaterThan(1)
    expect(await value(prometheus, 'brokerwire_stream_up{subscription="trade"}')).toBe(1)
    expect(await down(prometheus)).toEqual([])
    // Every expression of the dashboard is valid. Those about problems and tokens have no series now.
    const empty: string[] = []
    for (const expression of expressions) {
      const samples = await prometheus.query(expression.replaceAll('$app', '.*'))
      if (samples.length === 0) empty.push(expression)
    }
    expect(empty.filter((expression) => !/ > 0$|brokerwire_relay_token_state/.test(expression))).toEqual([])

    await control.fault({ subscription: 'unavailable', service: 'trade', count: 'always' })
    await control.drop({ service: 'trade' })
    await expect.poll(() => down(prometheus), SLOW).toEqual(['position', 'trade'])

    await control.fault({ clear: true })
    await expect.poll(() => down(prometheus), SLOW).toEqual([])
    const gaps = async () =>
      (await prometheus.firingAlerts())
        .filter(({ alertname, cause }) => alertname === 'BrokerwireStreamGap' && cause === 'disconnected')
        .map(({ subscription }) => subscription)
        .sort()
    await expect.poll(gaps, SLOW).toEqual(['position', 'trade'])
    // Each gap notice that the relay logged is counted once.
    const logged = relay.lines.filter(({ event }) => event === 'stream.gap').length
    await expect.poll(() => value(prometheus, 'sum(brokerwire_relay_gaps_total)'), SLOW).toBe(logged)
    expect(await relay.stop()).toEqual([0, null])
  })
})

/** Returns the value of an expression with one series. */
async function value(prometheus: Prometheus, expression: string): Promise<number> {
  const [sample] = await prometheus.query(expression)
  return sample?.value ?? Number.NaN
}

/** Returns the subscriptions for which the alert of a cut stream fires. */
async function down(prometheus: Prometheus): Promise<readonly (string | undefined)[]> {
  const alerts = await prometheus.firingAlerts()
  return alerts
    .filter(({ alertname }) => alertname === 'BrokerwireStreamDown')
    .map(({ subscription }) => subscription)
    .sort()
}
