/** A Postgres server for the tests of a file. Each test has its own table. */
import { needs } from '@brokerwire/testing/installed'
import { type PostgresServer, startPostgres } from '@brokerwire/testing/postgres'
import { Pool, type PoolConfig } from 'pg'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { migratePostgresSink } from '../postgres/migrate.ts'
import { createPostgresSink } from '../postgres/postgres-sink.ts'
import type { PostgresSinkOptions } from '../postgres/postgres-sink-options.ts'
import { ADDRESS } from './entries.ts'

export const { skip, note } = needs('postgresql')
export const ALL = { maxEntries: 10_000 }

export let server: PostgresServer

/** Starts a server before the tests of a file, and stops it after them. */
export function usePostgres(): void {
  beforeAll(async () => {
    if (!skip) server = await startPostgres()
  }, 60_000)
  afterAll(() => server?.close())
}

/** Opens a pool that ends with the test. */
export function openPool(url = server.url, config: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString: url, max: 4, connectionTimeoutMillis: 2000, ...config })
  pool.on('error', () => {})
  // A pool waits for connections whose server never responds.
  onTestFinished(() => void pool.end().catch(() => {}))
  return pool
}

let tables = 0

/** Creates the tables of a test, and a function that opens sinks for it. */
export async function setUpTable(change: Partial<PostgresSinkOptions> = {}) {
  tables += 1
  const table = `events_${tables}`
  const pool = openPool()
  await migratePostgresSink({ client: pool, table })
  const open = (options: Partial<PostgresSinkOptions> = {}) =>
    createPostgresSink({ client: pool, address: ADDRESS, table, ...change, ...options })
  return { table, pool, open }
}
