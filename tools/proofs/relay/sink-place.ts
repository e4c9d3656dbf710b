/** The servers that relays write to, as data that fits into a message, and the sinks that write to them. */
import { type EventSink, type StreamAddress, streamName } from '@brokerwire/relay'
import { openStore } from '../../../packages/client/src/test/store-place.ts'

/** Servers on this machine, by the ports that a process connects to. */
export type SinkPlace =
  | {
      readonly kind: 'jetstream'
      readonly ports: readonly number[]
      /** Number of replicas of each stream. @defaultValue 1 */
      readonly replicas?: number
      /** Limits of the streams. @defaultValue the limits of the sink */
      readonly limits?: { readonly maxAgeMs: number; readonly maxBytes: number }
    }
  | { readonly kind: 'postgres' | 'redis'; readonly port: number }
  | {
      readonly kind: 'webhook'
      readonly port: number
      readonly secret: string
      /** The port of the Redis server that has the records of the streams. */
      readonly storePort: number
    }

/** The header that a proof adds to each message: the process that wrote it. */
export const WRITER_HEADER = 'Proof-Writer'

/** Time limit of a call, in milliseconds. */
const TIMEOUT_MS = 2000
const WEBHOOK_TIMEOUT_MS = 1000
const WEBHOOK_RETRY_MS = 100

/** The sinks of a process, which share a client. */
export interface Sinks {
  open(address: StreamAddress): EventSink
  close(): Promise<void>
}

/** Connects to the servers. A process loads only the client that it uses. */
export async function connectSinks(place: SinkPlace): Promise<Sinks> {
  const sinks = await connect(place)
  return { open: (address) => withWriterHeader(sinks.open(address)), close: () => sinks.close() }
}

function connect(place: SinkPlace): Promise<Sinks> {
  switch (place.kind) {
    case 'jetstream':
      return connectJetStream(place)
    case 'postgres':
      return connectPostgres(place.port)
    case 'redis':
      return connectRedis(place.port)
    case 'webhook':
      return connectWebhook(place)
  }
}

function withWriterHeader(sink: EventSink): EventSink {
  return {
    tail: (request) => sink.tail(request),
    publish: (batch) =>
      sink.publish(
        batch.map((entry) => ({
          ...entry,
          headers: { ...entry.headers, [WRITER_HEADER]: String(process.pid) },
        })),
      ),
    close: () => sink.close(),
    [Symbol.asyncDispose]: () => sink.close(),
  }
}

async function connectJetStream(place: SinkPlace & { readonly kind: 'jetstream' }): Promise<Sinks> {
  const nats = await import('@nats-io/transport-node')
  const { createJetStreamSink } = await import('@brokerwire/relay/nats')
  // Ignores the server addresses that a NATS server announces, because connections to them would bypass the
  // proxies.
  const connection = await nats.connect({
    servers: place.ports.map((port) => `127.0.0.1:${port}`),
    ignoreClusterUpdates: true,
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    timeout: TIMEOUT_MS,
    pingInterval: 1000,
    maxPingOut: 2,
  })
  const createStream = { replicas: place.replicas, ...place.limits }
  return {
    open: (address) => createJetStreamSink({ connection, address, createStream }),
    close: () => connection.close(),
  }
}

async function connectPostgres(port: number): Promise<Sinks> {
  const { default: pg } = await import('pg')
  const { createPostgresSink } = await import('@brokerwire/relay/postgres')
  const client = new pg.Pool({
    connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  })
  client.on('error', () => {})
  return {
    open: (address) => createPostgresSink({ client, address, requestTimeoutMs: TIMEOUT_MS }),
    close: () => client.end(),
  }
}

async function connectRedis(port: number): Promise<Sinks> {
  const { createClient } = await import('redis')
  const { createRedisSink } = await import('@brokerwire/relay/redis')
  const client = createClient({
    socket: { host: '127.0.0.1', port, reconnectStrategy: 50, socketTimeout: TIMEOUT_MS },
    pingInterval: TIMEOUT_MS / 2,
    disableOfflineQueue: true,
  })
  client.on('error', () => {})
  void client.connect().catch(() => {})
  return {
    open: (address) => createRedisSink({ client, address, requestTimeoutMs: TIMEOUT_MS }),
    close: async () => client.destroy(),
  }
}

async function connectWebhook(place: SinkPlace & { readonly kind: 'webhook' }): Promise<Sinks> {
  const { createWebhookSink } = await import('@brokerwire/relay/webhook-sink')
  const { store, close } = await openStore({ kind: 'redis', port: place.storePort })
  return {
    open: (address) =>
      createWebhookSink({
        address,
        url: `http://127.0.0.1:${place.port}/${streamName(address)}`,
        secrets: place.secret,
        store,
        allowPrivateAddresses: true,
        timeoutMs: WEBHOOK_TIMEOUT_MS,
        maxRetryWaitMs: WEBHOOK_RETRY_MS,
      }),
    close,
  }
}
