/** Runs `brokerwire relay`. */
import {
  checkRelay,
  type HealthServer,
  isRelayError,
  parseRelayConfig,
  type RelayConfig,
  type RelayStatus,
  type RunningRelay,
  type StartRelayOptions,
  serveHealth,
  startRelay,
} from '@brokerwire/relay'
import { CliError, optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { readText } from '../input.ts'
import { parseDuration } from '../number-option.ts'
import { createRelayLog, errorFields, type RelayLog } from '../relay/log.ts'
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
}

export const run: Run<Flags> = async ({ flags, io }) => {
  if (flags.config === undefined)
    throw optionError('--config', 'must be given: a JSON file; its schema is schemas/relay.schema.json')
  const config = parseRelayConfig(await readText(flags.config), flags.config)
  if (flags.createStream && config.sink.type !== 'jetstream')
    throw optionError('--create-stream', 'must be used only with sink.type "jetstream"')
  const log = createRelayLog(io.out, Date.now)
  const readSecret = createSecretReader(log, io)
  if (flags.check) {
    await checkRelay(config, readSecret, io.env)
    if (config.sink.type === 'jetstream') {
      const { readCredentials } = await import('../relay/nats.ts')
      await readCredentials(config.sink, readSecret, log.keepSecret)
    }
    log.write('info', 'relay.checked', { config: flags.config, apps: config.apps.map(({ name }) => name) })
    return EXIT.done
  }
  // The health server starts first and ends last, so that a supervisor does not kill a relay that is waiting
  // for its server.
  let running: RunningRelay | undefined
  await using health = await startHealthServer(config, () => running?.status() ?? NOT_YET)
  log.write('info', 'health.serving', { health: health.url })
  await using resources = await openResources(config, flags.createStream === true, { log, io, readSecret })
  const { store, openSink } = resources
  const metrics = createMetrics()
  let lastMetrics = metrics.read()
  const logMetrics = (): void => {
    const apps = metrics.read()
    if (apps !== lastMetrics) log.write('info', 'relay.metrics', { apps })
    lastMetrics = apps
  }
  const observer = createObserver(log, metrics.observer)
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
  log.write('info', 'relay.started', {
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
    log.write('info', 'relay.stopping', { why: String(io.signal.reason) })
    await relay.close()
    return EXIT.done
  } finally {
    clearInterval(timer)
    logMetrics()
    log.write('info', 'relay.stopped')
  }
}

/** Status of a relay that has not started yet. */
const NOT_YET: RelayStatus = { isReady: false, members: [], apps: {} }

async function startHealthServer({ health }: RelayConfig, status: () => RelayStatus): Promise<HealthServer> {
  try {
    return await serveHealth(health, status)
  } catch (error) {
    if (!isRelayError(error, 'RELAY_OPTION_INVALID')) throw error
    const { option, expected, received } = error.details
    throw optionError(`health.${option}`, `must be ${expected}; received ${received}`)
  }
}

type Observer = NonNullable<StartRelayOptions['observer']>

/** Creates an observer that logs all reports of the relay. Events are only counted. */
function createObserver(log: RelayLog, counted: ReturnType<typeof createMetrics>['observer']): Observer {
  const ofError = (error: unknown) => (error === undefined ? {} : errorFields(error))
  return {
    ...counted,
    onRelayMembers: ({ members }) => log.write('info', 'cluster.members', { members }),
    onRelayApp: ({ app, state, error }) =>
      log.write(state === 'failed' ? 'error' : 'info', `app.${state}`, { app, ...ofError(error) }),
    onRelayMembershipLost: ({ error }) => log.write('warn', 'cluster.membership-lost', ofError(error)),
    onRelaySinkWait: ({ app, error }) => log.write('warn', 'app.waiting', { app, ...ofError(error) }),
    onRelayOversized: ({ app, entry, messageBytes, maxBytes, setting, file, error }) =>
      log.write('warn', 'event.oversized', {
        app,
        subject: entry.subject,
        id: entry.key,
        bytes: messageBytes,
        maxBytes,
        setting,
        file,
        ...ofError(error),
      }),
    onRelayStoreFailed: ({ error }) => log.write('warn', 'store.failed', ofError(error)),
    onRelaySubscription: ({ app, subscription, state, error }) =>
      log.write(state === 'failed' ? 'warn' : 'info', `subscription.${state}`, {
        app,
        subscription,
        ...(error === undefined ? {} : ofError(error)),
      }),
    onRelayToken(report) {
      counted.onRelayToken?.(report)
      const { app, state, deadlineMs, action, nextCreateAtMs, error } = report
      const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())
      log.write(state === 'usable' ? 'info' : 'warn', `token.${state}`, {
        app,
        action,
        deadline: iso(deadlineMs),
        nextCreate: iso(nextCreateAtMs),
        ...ofError(error),
      })
    },
    onRelayNotice(report) {
      counted.onRelayNotice?.(report)
      const { app, subscription, notice } = report
      const { type: _, kind, atMs: __, ...rest } = notice
      const level = kind === 'gap' || kind === 'reconnecting' ? 'warn' : 'info'
      log.write(level, `stream.${kind}`, { app, subscription, ...rest })
    },
    onRelayBackpressure(report) {
      counted.onRelayBackpressure?.(report)
      const { app, isPaused, bytes } = report
      log.write(isPaused ? 'warn' : 'info', isPaused ? 'sink.paused' : 'sink.resumed', { app, bytes })
    },
  }
}
