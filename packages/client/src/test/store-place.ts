/** The stores of processes of a test, as data that fits into a message. */
import type { Store } from '@brokerwire/core'

/** A directory, or a server on this machine. */
export type StorePlace =
  | { readonly kind: 'file'; readonly directory: string }
  | {
      readonly kind: 'redis' | 'postgres' | 'nats'
      readonly port: number
      /** @defaultValue 2500 */
      readonly leaseMs?: number
      /** Time limit of a call, in milliseconds. @defaultValue 1500 */
      readonly timeoutMs?: number
    }

/** The key of the counter that the workers of a test increment next to an app key's token. */
export const countKey = (appKey: string): string => `count/${appKey}`

/** Milliseconds after which a killed holder's lock is free. Longer than an event loop is blocked on a busy machine. */
const LEASE_MS = 2500
const TIMEOUT_MS = 1500

/** A store and its client. */
export interface OpenedStore {
  readonly store: Store
  close(): Promise<void>
}

const CONNECT_ATTEMPTS = 20

/** Retries the first call, because a machine that is busy starting processes may respond too late. */
async function untilConnected<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === CONNECT_ATTEMPTS) throw error
    }
  }
}

function timesOf(place: StorePlace): { readonly leaseMs: number; readonly timeoutMs: number } {
  const { leaseMs = LEASE_MS, timeoutMs = TIMEOUT_MS } = place.kind === 'file' ? {} : place
  return { leaseMs, timeoutMs }
}

/** Opens the store. A process loads only the client that it uses, and creates missing tables and buckets. */
export async function openStore(place: StorePlace): Promise<OpenedStore> {
  const options = timesOf(place)
  switch (place.kind) {
    case 'file': {
      const { createFileStore } = await import('@brokerwire/stores/file')
      return { store: createFileStore({ directory: place.directory }), close: async () => {} }
    }
    case 'redis': {
      const { createClient } = await import('redis')
      const { createRedisStore } = await import('@brokerwire/stores/redis')
      const client = createClient({ socket: { host: '127.0.0.1', port: place.port, reconnectStrategy: 20 } })
      client.on('error', () => {})
      await client.connect()
      return { store: createRedisStore({ client, ...options }), close: async () => client.destroy() }
    }
    case 'postgres': {
      const { default: pg } = await import('pg')
      const { createPostgresStore, migratePostgres } = await import('@brokerwire/stores/postgres')
      const client = new pg.Pool({
        connectionString: `postgres://postgres@127.0.0.1:${place.port}/postgres`,
        max: 4,
        connectionTimeoutMillis: options.timeoutMs,
        query_timeout: options.timeoutMs,
      })
      client.on('error', () => {})
      await untilConnected(() => migratePostgres({ client }))
      return { store: createPostgresStore({ client, ...options }), close: () => client.end() }
    }
    case 'nats': {
      const { Kvm } = await import('@nats-io/kv')
      const { connect } = await import('@nats-io/transport-node')
      const { createNatsStore } = await import('@brokerwire/stores/nats')
      const connection = await connect({
        port: place.port,
        reconnectTimeWait: 20,
        maxReconnectAttempts: -1,
        timeout: options.timeoutMs,
        pingInterval: 500,
        waitOnFirstConnect: true,
      })
      const bucket = await untilConnected(() => new Kvm(connection).create('brokerwire'))
      return { store: createNatsStore({ bucket, connection, ...options }), close: () => connection.close() }
    }
  }
}
