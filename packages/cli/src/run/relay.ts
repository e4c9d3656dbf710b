/** Runs `brokerwire relay`. */
import { stat } from 'node:fs/promises'
import type { Secret } from '@brokerwire/core'
import {
  checkRelay,
  type RelayConfig,
  readRelayConfig,
  readSecretPlace,
  type SecretPlace,
  type StartRelayOptions,
  serveHealth,
  startRelay,
} from '@brokerwire/relay'
import { CliError, optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { readText } from '../input.ts'
import type { GuardedIo } from '../io.ts'
import { readDuration } from '../number-option.ts'
import { createFigures } from '../relay/figures.ts'
import { createRelayLog, errorFields, type RelayLog } from '../relay/log.ts'
import { openGround } from '../relay/open.ts'
import { untilStopped } from '../until-stopped.ts'

interface Flags {
  readonly config?: string
  readonly createStream?: boolean
  readonly figures: string
  readonly check?: boolean
}

export const run: Run<Flags> = async ({ flags, io }) => {
  if (flags.config === undefined)
    throw optionError('--config', 'a file; its schema is schemas/relay.schema.json')
  const config = readRelayConfig(await readText(flags.config), flags.config)
  if (flags.createStream && config.sink.type !== 'jetstream')
    throw optionError('--create-stream', 'a configuration whose sink.type is jetstream: a file needs none')
  const log = createRelayLog(io.out, Date.now)
  const readSecret = secretReader(log, io)
  if (flags.check) {
    await checkRelay(config, readSecret)
    log.say('info', 'relay.checked', { config: flags.config, keys: config.keys.map(({ name }) => name) })
    return EXIT.done
  }
  await using ground = await openGround(config, flags.createStream === true, log, io)
  const { store, openSink } = ground
  const figures = createFigures()
  let lastFigures = figures.read()
  const tellFigures = (): void => {
    const keys = figures.read()
    if (keys !== lastFigures) log.say('info', 'relay.figures', { keys })
    lastFigures = keys
  }
  const observer = observerOf(log, figures.observer)
  await using relay = await startRelay({ config, store, openSink, readSecret, observer })
  await using health = await serveHealthOf(config, () => relay.status())
  log.say('info', 'relay.started', {
    name: relay.name,
    fleet: config.fleet,
    sink: config.sink.type,
    health: health.url,
    keys: config.keys.map(({ name }) => name),
  })
  const timer = setInterval(tellFigures, readDuration(flags.figures) ?? 1)
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

/** Reads secrets, and keeps them out of every line. Others who may read such a file are a line of their own. */
function secretReader(
  log: RelayLog,
  { env, keepSecret }: GuardedIo,
): (field: string, place: SecretPlace) => Promise<Secret> {
  return async (field, place) => {
    const secret = await readSecretPlace(field, place, env)
    log.keepSecret(secret.reveal())
    keepSecret(secret.reveal())
    if ('file' in place) {
      const { mode } = await stat(place.file)
      if ((mode & OTHERS_WRITE) !== 0)
        throw new CliError('CLI_SECRET_EXPOSED', `${place.file}: others may change it: chmod 600`, {
          details: { file: place.file },
        })
      if ((mode & OTHERS) !== 0) log.say('warn', 'secret.readable', { field, todo: 'chmod 600, or 400' })
    }
    return secret
  }
}

/** What the others of the machine may do with a file. */
const OTHERS = 0o007
const OTHERS_WRITE = 0o022

async function serveHealthOf(config: RelayConfig, status: Parameters<typeof serveHealth>[1]) {
  const { host, port } = config.health
  try {
    return await serveHealth(config.health, status)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'an error'
    throw optionError('health', `an address of this machine with a free port, got ${code} at ${host}:${port}`)
  }
}

type Observer = NonNullable<StartRelayOptions['observer']>

/** Everything that a relay tells, as lines; events are counted alone. */
function observerOf(log: RelayLog, counted: ReturnType<typeof createFigures>['observer']): Observer {
  const ofError = (error: unknown) => (error === undefined ? {} : errorFields(error))
  return {
    ...counted,
    onMembers: ({ members }) => log.say('info', 'fleet.members', { members }),
    onKey: ({ key, state, error }) =>
      log.say(state === 'failed' ? 'error' : 'info', `key.${state}`, { key, ...ofError(error) }),
    onLost: ({ error }) => log.say('warn', 'fleet.lost', ofError(error)),
    onWaiting: ({ key, error }) => log.say('warn', 'key.waiting', { key, ...ofError(error) }),
    onStoreFailed: ({ error }) => log.say('warn', 'store.failed', ofError(error)),
    onSubscription: ({ key, stream, state }) =>
      log.say(state === 'failed' ? 'warn' : 'info', `subscription.${state}`, { key, stream }),
    onToken: ({ key, state, deadlineMs, todo, error }) =>
      log.say(state === 'usable' ? 'info' : 'warn', `token.${state}`, {
        key,
        todo,
        deadline: deadlineMs === undefined ? undefined : new Date(deadlineMs).toISOString(),
        ...ofError(error),
      }),
    onNotice(report) {
      counted.onNotice?.(report)
      const { key, stream, notice } = report
      const { type: _, kind, atMs: __, ...rest } = notice
      const level = kind === 'gap' || kind === 'reconnecting' ? 'warn' : 'info'
      log.say(level, `stream.${kind}`, { key, stream, ...rest })
    },
    onBackpressure(report) {
      counted.onBackpressure?.(report)
      const { key, isHeld, bytes } = report
      log.say(isHeld ? 'warn' : 'info', isHeld ? 'sink.held' : 'sink.released', { key, bytes })
    },
  }
}
