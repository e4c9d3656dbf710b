/** The servers that relays write to, as data that fits into a message, and the sinks that write to them. */
import type { EventSink, StreamAddress } from '@brokerwire/relay'

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
  | { readonly kind: 'postgres'; readonly port: number }

/** Time limit of a call, in milliseconds. */
const TIMEOUT_MS = 2000

/** The sinks of a process, which share a client. */
export interface Sinks {
  open(address: StreamAddress): EventSink
  close(): Promise<void>
}

/** Connects to the servers. A process loads only the client that it uses. */
export async function connectSinks(place: SinkPlace): Promise<Sinks> {
  switch (place.kind) {
    case 'jetstream':
      return connectJetStream(place)
    case 'postgres':
      return connectPostgres(place.port)
  }
}

async function connectJetStream(place: SinkPlace & { readonly kind: 'jetstream' }): Promise<Sinks> {
  const { connect } = await import('@nats-io/transport-node')
  const { createJetStreamSink } = await import('@brokerwire/relay/nats')
  // Ignores the server addresses that a NATS server announces, because connections to them would bypass the
  // proxies.
  const connection = await connect({
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
    // The table of the proof stores this name as the writer of each row.
    application_name: `writer-${process.pid}`,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  })
  client.on('error', () => {})
  return {
    open: (address) => createPostgresSink({ client, address, requestTimeoutMs: TIMEOUT_MS }),
    close: () => client.end(),
  }
}
