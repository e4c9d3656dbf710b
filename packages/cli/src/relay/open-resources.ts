/** Opens the sink and the store of a relay from its configuration. */
import type { Store } from '@brokerwire/core'
import {
  createFileSink,
  type EventSink,
  type RelayConfig,
  type SinkState,
  type StreamAddress,
  streamName,
} from '@brokerwire/relay'
import { createFileStore } from '@brokerwire/stores/file'
import type { GuardedIo } from '../io.ts'
import type { RelayLog } from './log.ts'
import type { PostgresConfig } from './postgres.ts'
import type { ReadSecret } from './read-secret.ts'
import type { RedisConfig } from './redis.ts'
import { sinkHint } from './sink-hint.ts'

/** Resources of a relay. */
export interface RelayResources extends AsyncDisposable {
  readonly store: Store
  readonly openSink: (address: StreamAddress) => EventSink
  /** Resolves if a resource is permanently lost. */
  readonly lost: Promise<unknown>
}

const NEVER = new Promise<never>(() => {})

/**
 * Opens the resources.
 *
 * @param mayCreate - Whether missing streams are created.
 * @throws RelayError `RELAY_SINK_MISCONFIGURED`; CliError; StoresError.
 */
export async function openResources(
  config: RelayConfig,
  mayCreate: boolean,
  {
    log,
    io,
    readSecret,
    configFile,
    onSinkState = () => {},
  }: {
    readonly log: RelayLog
    readonly io: Pick<GuardedIo, 'signal'>
    readonly readSecret: ReadSecret
    /** The configuration file, for the commands in errors. */
    readonly configFile: string
    readonly onSinkState?: (app: string, state: SinkState) => void
  },
): Promise<RelayResources> {
  const { sink, store: storeConfig } = config
  const onState = (address: StreamAddress) => (state: SinkState) => {
    const stream = streamName(address)
    onSinkState(address.app, state)
    if (state.state === 'writing') log.write('sink.writing', { stream })
    else log.write('sink.waiting', { stream, reason: state.reason, hint: sinkHint(sink.type, state.reason) })
  }
  if (sink.type === 'file') {
    const store = openFileStore(storeConfig)
    return {
      store,
      openSink: (address) => {
        const name = streamName(address)
        const { maxFileBytes, maxFiles, cloudEvents } = sink
        return createFileSink({
          directory: sink.directory,
          name,
          store,
          maxFileBytes,
          maxFiles,
          cloudEvents,
          onState: onState(address),
        })
      },
      lost: NEVER,
      [Symbol.asyncDispose]: async () => {},
    }
  }
  if (sink.type === 'postgres')
    return openPostgres(config, sink, { log, io, readSecret, configFile, onState })
  if (sink.type === 'redis') return openRedis(config, sink, { log, io, readSecret, configFile, onState })
  if (sink.type === 'package') {
    const { loadSinkPackage } = await import('./package-sink.ts')
    const createSink = await loadSinkPackage(sink)
    return {
      store: openFileStore(storeConfig),
      openSink: (address) => createSink({ address, onState: onState(address) }),
      lost: NEVER,
      [Symbol.asyncDispose]: async () => {},
    }
  }
  if (sink.type === 'webhook') {
    const { webhookSinkOptions } = await import('./webhook.ts')
    const { createWebhookSink } = await import('@brokerwire/relay/webhook-sink')
    const optionsOf = webhookSinkOptions(sink, { log, readSecret })
    const store = openFileStore(storeConfig)
    return {
      store,
      openSink: (address) =>
        createWebhookSink({ ...optionsOf(streamName(address)), address, store, onState: onState(address) }),
      lost: NEVER,
      [Symbol.asyncDispose]: async () => {},
    }
  }
  const { getStreamLimits, openBucket, openConnection, readCredentials } = await import('./nats.ts')
  const { createJetStreamSink } = await import('@brokerwire/relay/nats')
  const credentials = await readCredentials(sink, readSecret, log.keepSecret)
  const connection = await openConnection(sink, `brokerwire relay ${config.cluster}`, credentials, log, io)
  try {
    const createStream = getStreamLimits(config, mayCreate)
    const store =
      storeConfig.type !== 'nats'
        ? openFileStore(storeConfig)
        : (await import('@brokerwire/stores/nats')).createNatsStore({
            connection,
            bucket: await openBucket(connection, {
              bucket: storeConfig.bucket,
              domain: sink.domain,
              replicas: createStream?.replicas ?? 1,
              mayCreate: createStream !== undefined,
              configFile,
            }),
            onWarning: ({ setting, expected, received }) =>
              log.write('store.setting', { setting, expected, received }),
          })
    return {
      store,
      openSink: (address) =>
        createJetStreamSink({
          connection,
          address,
          createStream,
          domain: sink.domain,
          cloudEvents: sink.cloudEvents,
          onState: onState(address),
        }),
      lost: connection.closed(),
      [Symbol.asyncDispose]: () => connection.close(),
    }
  } catch (error) {
    await connection.close()
    throw error
  }
}

/** Opens a store of files. A store on a server is allowed only with a sink on the same server. */
function openFileStore(store: RelayConfig['store']): Store {
  return createFileStore({ directory: store.type === 'file' ? store.directory : 'state' })
}

interface OpenContext {
  readonly log: RelayLog
  readonly io: Pick<GuardedIo, 'signal'>
  readonly readSecret: ReadSecret
  readonly configFile: string
  readonly onState: (address: StreamAddress) => (state: SinkState) => void
}

async function openPostgres(
  config: RelayConfig,
  sink: PostgresConfig,
  { log, io, readSecret, configFile, onState }: OpenContext,
): Promise<RelayResources> {
  const { createPool, endPool, openStore, readConnection, waitForServer } = await import('./postgres.ts')
  const { createPostgresSink } = await import('@brokerwire/relay/postgres')
  const target = await readConnection(sink, readSecret, log.keepSecret)
  const pool = createPool(target, config)
  try {
    await waitForServer(pool, target, log, io)
    const { store } = config
    const { table, retention, cloudEvents } = sink
    return {
      store:
        store.type === 'postgres' ? await openStore(pool, store.table, configFile) : openFileStore(store),
      openSink: (address) =>
        createPostgresSink({
          client: pool,
          address,
          table,
          retention,
          cloudEvents,
          onState: onState(address),
        }),
      lost: NEVER,
      [Symbol.asyncDispose]: () => endPool(pool),
    }
  } catch (error) {
    await endPool(pool)
    throw error
  }
}

async function openRedis(
  { cluster, store }: RelayConfig,
  sink: RedisConfig,
  { log, io, readSecret, onState }: OpenContext,
): Promise<RelayResources> {
  const { openConnection, readTarget } = await import('./redis.ts')
  const { createRedisSink } = await import('@brokerwire/relay/redis')
  const target = await readTarget(sink, cluster, readSecret, log.keepSecret)
  const { client, close } = await openConnection(target, log, io)
  const { retention, cloudEvents } = sink
  const warned = new Set<string>()
  return {
    store: openFileStore(store),
    openSink: (address) =>
      createRedisSink({
        client,
        address,
        retention,
        cloudEvents,
        onState: onState(address),
        onWarning({ setting, expected, received, command }) {
          if (warned.has(setting)) return
          warned.add(setting)
          log.write('redis.setting', { setting, expected, received, command })
        },
      }),
    lost: NEVER,
    [Symbol.asyncDispose]: async () => close(),
  }
}
