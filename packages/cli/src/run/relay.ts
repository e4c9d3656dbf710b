/** Runs `brokerwire relay`. */
import {
  checkRelay,
  type HealthServer,
  isRelayError,
  type MetricsSource,
  parseRelayConfig,
  type RelayConfig,
  type RelayStatus,
  type RunningRelay,
  serveHealth,
  startRelay,
} from '@brokerwire/relay'
import { CliError, optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { readText } from '../input.ts'
import { parseDuration } from '../number-option.ts'
import { combineObservers } from '../relay/combine-observers.ts'
import { createRelayExporter } from '../relay/exporter.ts'
import { createRelayLog } from '../relay/log.ts'
import { createLogObserver } from '../relay/log-observer.ts'
import { createMetrics } from '../relay/metrics.ts'
import { openResources } from '../relay/open-resources.ts'
import { createSecretReader } from '../relay/read-secret.ts'
import { readProxyVariables } from '../settings/read-proxy.ts'
import { untilStopped } from '../until-stopped.ts'

interface Flags {
  readonly config?: string
  readonly createStream?: boolean
  readonly metrics: string
  readonly check?: boolean
  readonly migrate?: boolean
  readonly printSql?: boolean
}

export const run: Run<Flags> = async ({ flags, io }) => {
  if (flags.config === undefined)
    throw optionError('--config', 'must be given: a JSON file; its schema is schemas/relay.schema.json')
  const config = parseRelayConfig(await readText(flags.config), flags.config)
  if (flags.createStream && config.sink.type !== 'jetstream')
    throw optionError('--create-stream', 'must be used only with sink.type "jetstream"')
  if (config.sink.type !== 'postgres') {
    const flag = flags.migrate ? '--migrate' : flags.printSql ? '--print-sql' : undefined
    if (flag !== undefined) throw optionError(flag, 'must be used only with sink.type "postgres"')
  } else if (flags.printSql) {
    const { migrationSql } = await import('../relay/postgres.ts')
    io.out(migrationSql(config, config.sink).trimEnd())
    return EXIT.done
  }
  const log = createRelayLog(io.out, Date.now, flags.config)
  const readSecret = createSecretReader(log, io)
  if (flags.migrate && config.sink.type === 'postgres') {
    const { migrate } = await import('../relay/postgres.ts')
    await migrate(config, config.sink, readSecret, log)
    return EXIT.done
  }
  if (flags.check) {
    await checkRelay(config, readSecret, io.env)
    if (config.sink.type === 'jetstream') {
      const { readCredentials } = await import('../relay/nats.ts')
      await readCredentials(config.sink, readSecret, log.keepSecret)
    }
    if (config.sink.type === 'postgres') {
      const { readConnection } = await import('../relay/postgres.ts')
      await readConnection(config.sink, readSecret, log.keepSecret)
    }
    if (config.sink.type === 'redis') {
      const { readTarget } = await import('../relay/redis.ts')
      await readTarget(config.sink, config.cluster, readSecret, log.keepSecret)
    }
    if (config.sink.type === 'webhook') {
      const { readWebhookSecrets } = await import('../relay/webhook.ts')
      await readWebhookSecrets(config.sink, readSecret, log.keepSecret)
    }
    log.write('relay.checked', { config: flags.config, apps: config.apps.map(({ name }) => name) })
    return EXIT.done
  }
  // The health server starts first and ends last, so that a supervisor does not kill a relay that is waiting
  // for its server.
  let running: RunningRelay | undefined
  const status = (): RelayStatus => running?.status() ?? NOT_YET
  const exporter = createRelayExporter(config, status)
  await using health = await startHealthServer(config, status, exporter)
  log.write('health.serving', { health: health.url })
  await using resources = await openResources(config, flags.createStream === true, {
    log,
    io,
    readSecret,
    configFile: flags.config,
    onSinkState: exporter.onSinkState,
  })
  const { store, openSink } = resources
  const metrics = createMetrics()
  let lastMetrics = metrics.read()
  const logMetrics = (): void => {
    const apps = metrics.read()
    if (apps !== lastMetrics) log.write('relay.metrics', { apps })
    lastMetrics = apps
  }
  const observer = combineObservers(createLogObserver(log), metrics.observer, exporter.observer)
  await using relay = await startRelay({
    config,
    store,
    openSink,
    readSecret,
    env: io.env,
    proxy: readProxyVariables(io),
    observer,
    signal: io.signal,
  })
  running = relay
  exporter.started(relay.name)
  log.write('relay.started', {
    name: relay.name,
    cluster: config.cluster,
    sink: config.sink.type,
    health: health.url,
    apps: config.apps.map(({ name }) => name),
  })
  const timer = setInterval(logMetrics, parseDuration(flags.metrics) ?? 1)
  try {
    const ended = relay.ended.then((error) => {
      throw error
    })
    const stopped = untilStopped(io).then(() => false)
    const isLost = await Promise.race([stopped, resources.lost.then(() => true), ended])
    if (isLost) {
      const reason = 'the connection to NATS was closed permanently'
      throw new CliError('CLI_UNREACHABLE', reason, { details: { reason }, retryable: true })
    }
    log.write('relay.stopping', { why: String(io.signal.reason) })
    await relay.close()
    return EXIT.done
  } finally {
    clearInterval(timer)
    logMetrics()
    log.write('relay.stopped')
  }
}

/** Status of a relay that has not started yet. */
const NOT_YET: RelayStatus = { isReady: false, members: [], apps: {}, reasons: {} }

async function startHealthServer(
  { health }: RelayConfig,
  status: () => RelayStatus,
  metrics: MetricsSource,
): Promise<HealthServer> {
  try {
    return await serveHealth(health, status, metrics)
  } catch (error) {
    if (!isRelayError(error, 'RELAY_OPTION_INVALID')) throw error
    const { option, expected, received } = error.details
    throw optionError(`health.${option}`, `must be ${expected}; received ${received}`)
  }
}
