/** Runs `brokerwire relay`. */
import {
  checkRelay,
  type HealthServer,
  isRelayError,
  type RelayConfig,
  type RelayStatus,
  type RunningRelay,
  readRelayConfig,
  type StartRelayOptions,
  serveHealth,
  startRelay,
} from '@brokerwire/relay'
import { CliError, optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { readText } from '../input.ts'
import { parseDuration } from '../number-option.ts'
import { createFigures } from '../relay/figures.ts'
import { createRelayLog, errorFields, type RelayLog } from '../relay/log.ts'
import { openGround } from '../relay/open.ts'
import { secretReader } from '../relay/read-secret.ts'
import { readProxyVariables } from '../settings/read-proxy.ts'
import { untilStopped } from '../until-stopped.ts'

interface Flags {
  readonly config?: string
  readonly createStream?: boolean
  readonly figures: string
  readonly check?: boolean
}

export const run: Run<Flags> = async ({ flags, io }) => {
  if (flags.config === undefined)
    throw optionError('--config', 'must be given: a JSON file; its schema is schemas/relay.schema.json')
  const config = readRelayConfig(await readText(flags.config), flags.config)
  if (flags.createStream && config.sink.type !== 'jetstream')
    throw optionError('--create-stream', 'must be used only with sink.type "jetstream"')
  const log = createRelayLog(io.out, Date.now)
  const readSecret = secretReader(log, io)
  if (flags.check) {
    await checkRelay(config, readSecret, io.env)
    if (config.sink.type === 'jetstream') {
      const { readCredentials } = await import('../relay/nats.ts')
      await readCredentials(config.sink, readSecret, log.keepSecret)
    }
    log.say('info', 'relay.checked', { config: flags.config, apps: config.apps.map(({ name }) => name) })
    return EXIT.done
  }
  // Started first and ended last: a supervisor must not kill a relay that waits for its server.
  let running: RunningRelay | undefined
  await using health = await serveHealthOf(config, () => running?.status() ?? NOT_YET)
  log.say('info', 'health.serving', { health: health.url })
  await using ground = await openGround(config, flags.createStream === true, { log, io, readSecret })
  const { store, openSink } = ground
  const figures = createFigures()
  let lastFigures = figures.read()
  const tellFigures = (): void => {
    const apps = figures.read()
    if (apps !== lastFigures) log.say('info', 'relay.figures', { apps })
    lastFigures = apps
  }
  const observer = observerOf(log, figures.observer)
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
  log.say('info', 'relay.started', {
    name: relay.name,
    cluster: config.cluster,
    sink: config.sink.type,
    health: health.url,
    apps: config.apps.map(({ name }) => name),
  })
  const timer = setInterval(tellFigures, parseDuration(flags.figures) ?? 1)
  try {
    const ended = relay.ended.then((error) => {
      throw error
    })
    const stopped = untilStopped(io).then(() => false)
    const isGone = await Promise.race([stopped, ground.gone.then(() => true), ended])
    if (isGone) {
      const reason = 'the connection to NATS was closed for good'
      throw new CliError('CLI_UNREACHABLE', reason, { details: { reason }, retryable: true })
    }
    log.say('info', 'relay.stopping', { why: String(io.signal.reason) })
    await relay.close()
    return EXIT.done
  } finally {
    clearInterval(timer)
    tellFigures()
    log.say('info', 'relay.stopped')
  }
}

/** Status before the relay has started. */
const NOT_YET: RelayStatus = { isReady: false, members: [], apps: {} }

async function serveHealthOf({ health }: RelayConfig, status: () => RelayStatus): Promise<HealthServer> {
  try {
    return await serveHealth(health, status)
  } catch (error) {
    if (!isRelayError(error, 'RELAY_OPTION_INVALID')) throw error
    const { option, expected, received } = error.details
    throw optionError(`health.${option}`, `must be ${expected}; received ${received}`)
  }
}

type Observer = NonNullable<StartRelayOptions['observer']>

/** Logs every notification of the relay; events are only counted. */
function observerOf(log: RelayLog, counted: ReturnType<typeof createFigures>['observer']): Observer {
  const ofError = (error: unknown) => (error === undefined ? {} : errorFields(error))
  return {
    ...counted,
    onMembers: ({ members }) => log.say('info', 'cluster.members', { members }),
    onApp: ({ app, state, error }) =>
      log.say(state === 'failed' ? 'error' : 'info', `app.${state}`, { app, ...ofError(error) }),
    onLost: ({ error }) => log.say('warn', 'cluster.lost', ofError(error)),
    onWaiting: ({ app, error }) => log.say('warn', 'app.waiting', { app, ...ofError(error) }),
    onOversized: ({ app, entry, bytes, maxBytes, setting, file, error }) =>
      log.say('warn', 'event.oversized', {
        app,
        subject: entry.subject,
        id: entry.key,
        bytes,
        maxBytes,
        setting,
        file,
        ...ofError(error),
      }),
    onStoreFailed: ({ error }) => log.say('warn', 'store.failed', ofError(error)),
    onSubscription: ({ app, stream, state, error }) =>
      log.say(state === 'failed' ? 'warn' : 'info', `subscription.${state}`, {
        app,
        stream,
        ...(error === undefined ? {} : ofError(error)),
      }),
    onToken(report) {
      counted.onToken?.(report)
      const { app, state, deadlineMs, todo, nextCreateAtMs, error } = report
      const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())
      log.say(state === 'usable' ? 'info' : 'warn', `token.${state}`, {
        app,
        todo,
        deadline: iso(deadlineMs),
        nextCreate: iso(nextCreateAtMs),
        ...ofError(error),
      })
    },
    onNotice(report) {
      counted.onNotice?.(report)
      const { app, stream, notice } = report
      const { type: _, kind, atMs: __, ...rest } = notice
      const level = kind === 'gap' || kind === 'reconnecting' ? 'warn' : 'info'
      log.say(level, `stream.${kind}`, { app, stream, ...rest })
    },
    onBackpressure(report) {
      counted.onBackpressure?.(report)
      const { app, isHeld, bytes } = report
      log.say(isHeld ? 'warn' : 'info', isHeld ? 'sink.held' : 'sink.released', { app, bytes })
    },
  }
}
