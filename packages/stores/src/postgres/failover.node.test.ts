/**
 * Guarantees of Postgres when it is killed or fails over, shown on real servers. Each sentence of the page on Postgres that
 * speaks of a failover names a test of this file. The short run kills a server once; the full run has the rest.
 */

import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { type PostgresServer, startPostgres, startStandby } from '@brokerwire/testing/postgres'
import { startTcpProxy, type TcpProxy } from '@brokerwire/testing/tcp-proxy'
import { waitUntil } from '@brokerwire/testing/wait'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { isStoresError } from '../stores-error.ts'
import { outcome, untilAvailable } from '../test/shared-suite.ts'
import { createPostgresStore, migratePostgres, type PostgresStoreOptions } from './postgres-store.ts'

const TIMEOUT_MS = 2000

/** Runs a function at the end of a test. Each test passes its own, because tests run concurrently. */
type AtEnd = (end: () => void | Promise<void>) => void

async function start(atEnd: AtEnd, settings?: readonly string[]): Promise<PostgresServer> {
  const server = await startPostgres(settings)
  atEnd(() => server.close())
  return server
}

function open(atEnd: AtEnd, server: PostgresServer, options: Partial<PostgresStoreOptions> = {}) {
  const pool = new Pool({ connectionString: server.url, connectionTimeoutMillis: TIMEOUT_MS })
  pool.on('error', () => {})
  atEnd(() => {
    pool.end().catch(() => {})
  })
  return { pool, store: createPostgresStore({ client: pool, timeoutMs: TIMEOUT_MS, ...options }) }
}

/** A standby whose connection to the primary the test can break. */
async function startFarStandby(atEnd: AtEnd, primary: PostgresServer) {
  const link: TcpProxy = await startTcpProxy(primary.port)
  atEnd(() => link.close())
  const standby = await startStandby(primary.port, link.port)
  atEnd(() => standby.close())
  const { pool } = open(atEnd, primary)
  const isFollowing = async () =>
    (await pool.query("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'")).rows.length > 0
  await waitUntil(isFollowing)
  return { standby, link }
}

/** Returns `undefined` if there is no table. */
function missingTable(error: unknown): undefined {
  if (!isStoresError(error, 'STORE_MISCONFIGURED')) throw error
}

const { skip, note } = needs('postgresql')
const isFullRun = inject('isFullRun')

describe.skipIf(skip)(`a Postgres server that is killed${note}`, REAL_SERVERS, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  }, 60_000)
  afterAll(() => server.close())

  test('acknowledged writes survive three kills, and the client connects to the server again', async ({
    onTestFinished: atEnd,
  }) => {
    const { pool, store } = open(atEnd, server)
    await migratePostgres({ client: pool })
    for (let round = 0; round < (isFullRun ? 3 : 1); round += 1) {
      const before = await untilAvailable(() => store.get('count'))
      expect(before).toBe(round === 0 ? undefined : String(round))
      expect(await store.compareAndSet('count', before, String(round + 1))).toBe(true)
      await server.kill()
      expect(await outcome(store.get('count'))).toBe('STORE_UNAVAILABLE')
      await server.restart()
    }
  })

  test('keeps a lock for its holder through a kill', async ({ onTestFinished: atEnd }) => {
    const { pool, store } = open(atEnd, server, { leaseMs: 6000 })
    await migratePostgres({ client: pool })
    const lock = await store.lock('job')
    await server.kill()
    await server.restart()
    await untilAvailable(() => store.get('job'))
    expect((await pool.query("SELECT 1 FROM brokerwire_store WHERE key = 'lease:job'")).rows).toHaveLength(1)
    expect(lock.lost?.aborted).toBe(false)
    await lock.release()
    expect((await pool.query("SELECT 1 FROM brokerwire_store WHERE key = 'lease:job'")).rows).toHaveLength(0)
  })
})

describe
  .skipIf(skip || !isFullRun)
  .concurrent(`a Postgres server that fails over${note}`, REAL_SERVERS, () => {
    test('with synchronous_commit=off a kill loses the last acknowledged writes, and corrupts none', async ({
      onTestFinished: atEnd,
    }) => {
      // The longest interval: writes that the server flushes by itself in between are safe.
      const server = await start(atEnd, ['synchronous_commit=off', 'wal_writer_delay=10s'])
      const { pool, store } = open(atEnd, server)
      await migratePostgres({ client: pool })
      await store.compareAndSet('count', undefined, '0')
      const writes = 50
      for (let count = 0; count < writes; count += 1) {
        expect(await store.compareAndSet('count', String(count), String(count + 1))).toBe(true)
      }
      await server.kill()
      await server.restart()
      // If the table itself was not written yet, it is lost as well.
      const found = await untilAvailable(() => store.get('count').catch(missingTable))
      expect(found === undefined || Number(found) < writes).toBe(true)
      if (found !== undefined) expect(found).toMatch(/^\d+$/)
    })

    test('a promoted asynchronous standby grants a lock twice and returns an older token', async ({
      onTestFinished: atEnd,
    }) => {
      const primary = await start(atEnd)
      const { pool, store } = open(atEnd, primary, { leaseMs: 60_000 })
      await migratePostgres({ client: pool })
      await store.compareAndSet('token', undefined, 'first')
      const { standby, link } = await startFarStandby(atEnd, primary)
      link.mode = 'hold'
      expect(await store.compareAndSet('token', 'first', 'renewed')).toBe(true)
      const held = await store.lock('token')
      await primary.kill()
      link.cut()
      const { store: promoted } = open(atEnd, standby, { leaseMs: 60_000, timeoutMs: 5000 })
      // A standby serves reads and rejects writes. It may be promoted later.
      expect(await outcome(promoted.compareAndSet('token', 'first', 'never'))).toBe('STORE_UNAVAILABLE')
      await standby.promote()
      expect(await untilAvailable(() => promoted.get('token'))).toBe('first')
      const second = await untilAvailable(() => promoted.lock('token'))
      expect(held.lost?.aborted).toBe(false)
      await second.release()
    })

    test('with synchronous_standby_names every acknowledged write is on the standby', async ({
      onTestFinished: atEnd,
    }) => {
      const primary = await start(atEnd, ['synchronous_standby_names=standby'])
      const alone = new Pool({ connectionString: primary.url, options: '-c synchronous_commit=local' })
      alone.on('error', () => {})
      atEnd(() => alone.end())
      await migratePostgres({ client: alone })
      await createPostgresStore({ client: alone }).compareAndSet('token', undefined, 'first')
      const { standby, link } = await startFarStandby(atEnd, primary)
      const { store } = open(atEnd, primary)
      expect(await untilAvailable(() => store.compareAndSet('token', 'first', 'second'))).toBe(true)
      link.mode = 'hold'
      expect(await outcome(store.compareAndSet('token', 'second', 'never acknowledged'))).toBe(
        'STORE_UNAVAILABLE',
      )
      await primary.kill()
      link.cut()
      await standby.promote()
      const { store: promoted } = open(atEnd, standby, { timeoutMs: 5000 })
      expect(await untilAvailable(() => promoted.get('token'))).toBe('second')
    })
  })
