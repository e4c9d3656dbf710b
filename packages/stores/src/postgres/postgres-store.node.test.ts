/** The store on a real server and behind a real transaction pooler, over pg and, in the full run, over postgres.js. */

import { freePort } from '@brokerwire/testing/free-port'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { type PostgresServer, startPgBouncer, startPostgres } from '@brokerwire/testing/postgres'
import { startTcpProxy } from '@brokerwire/testing/tcp-proxy'
import { Client, Pool } from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import {
  type Connection,
  outcome,
  sharedStoreSuite,
  untilAvailable,
  untilDone,
} from '../test/shared-suite.ts'
import { createPostgresStore, migratePostgres, type PostgresClientLike } from './postgres-store.ts'
import { fromColumn, postgresMigration, toColumn } from './schema.ts'

/** A hundred times the duration of the same statements if they do not hang. */
const HANGS_MS = 3000

const urlOf = (port: number): string => `postgres://postgres@127.0.0.1:${port}/postgres`

function connection(client: PostgresClientLike): Omit<Connection, 'close'> {
  return {
    async open(name, options) {
      await untilMade(client, name)
      return createPostgresStore({ client, table: name, ...options })
    },
    async dropLease(name, key) {
      await client.query(`DELETE FROM ${name} WHERE key = $1`, [`lease:${key}`])
    },
    async dump(name) {
      const { rows } = await client.query(`SELECT * FROM ${name}`, [])
      return JSON.stringify(rows)
    },
  }
}

/** A pool notices the restart of a server at its next statements. */
function untilMade(client: PostgresClientLike, table: string): Promise<void> {
  const isFinal = (error: unknown): boolean => /^(42|22)/.test(String((error as { code?: unknown }).code))
  return untilDone(() => migratePostgres({ client, table }), isFinal)
}

async function connectPg(port: number): Promise<Connection> {
  const pool = new Pool({ connectionString: urlOf(port), max: 8, connectionTimeoutMillis: 1000 })
  pool.on('error', () => {})
  return {
    ...connection(pool),
    async close() {
      // A pool waits for connections whose server never responds.
      pool.end().catch(() => {})
    },
  }
}

async function connectPostgresJs(port: number): Promise<Connection> {
  const sql = postgres(urlOf(port), {
    prepare: false,
    max: 8,
    connect_timeout: 1,
    backoff: () => 0.02,
    onnotice() {},
    // The client's own query for types would hang if the server is killed.
    fetch_types: false,
  })
  // The same line as in docs/guides/stores-postgres.md.
  const client = {
    query: async (text: string, params: string[]) => ({ rows: await sql.unsafe(text, params) }),
  }
  return { ...connection(client), close: () => sql.end({ timeout: 0 }) }
}

const { skip, note } = needs('postgresql')

/** One server for all cases: each has its own table. */
let server: PostgresServer
beforeAll(async () => {
  if (!skip) server = await startPostgres()
}, 60_000)
afterAll(() => server?.close())

const CLIENTS = [
  ['pg', connectPg],
  ['postgres.js', connectPostgresJs],
] as const

describe.skipIf(skip).each(inject('isFullRun') ? CLIENTS : CLIENTS.slice(0, 1))(
  `postgres over %s${note}`,
  REAL_SERVERS,
  (_name, connect) => {
    sharedStoreSuite({ server: () => server, connect, largest: { key: 2600, text: 16 * 1024 * 1024 } })
  },
)

describe.skipIf(skip)(`postgres${note}`, REAL_SERVERS, () => {
  function pool(url = server.url): Pool {
    const made = new Pool({ connectionString: url, max: 8 })
    made.on('error', () => {})
    onTestFinished(() => made.end())
    return made
  }

  test('the migration may run twice, several times at once, and as the statement for other tools', async () => {
    const client = pool()
    const table = 'made_at_once'
    await Promise.all(Array.from({ length: 8 }, () => migratePostgres({ client, table })))
    const store = createPostgresStore({ client, table })
    await store.compareAndSet('key', undefined, 'kept')
    await migratePostgres({ client, table })
    await client.query(postgresMigration({ table }))
    expect(await store.get('key')).toBe('kept')
    await client.query('CREATE SCHEMA apart')
    await migratePostgres({ client, table: 'apart.store' })
    await createPostgresStore({ client, table: 'apart.store' }).ready()
  })

  test('the migration ends at its time limit if the server hangs, and is done when the server resumes', async () => {
    const own = await startPostgres()
    onTestFinished(() => own.close())
    const sql = postgres(own.url, { prepare: false, onnotice() {} })
    onTestFinished(() => sql.end({ timeout: 0 }))
    for (const client of [
      pool(own.url),
      {
        query: async (text: string, params: string[]) => ({
          rows: await sql.unsafe(text, params),
        }),
      },
    ]) {
      await client.query('SELECT 1', [])
      await own.pause()
      const migrating = migratePostgres({ client, table: 'late', timeoutMs: 300 })
      await expect(migrating).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        retryable: true,
        details: { operation: 'migratePostgres', reason: 'no response within 300 ms' },
      })
      own.resume()
    }
    const client = pool(own.url)
    await untilAvailable(() => migratePostgres({ client, table: 'late' }))
    await createPostgresStore({ client, table: 'late' }).ready()
  }, 60_000)

  test('failures of the migration are errors of this package, without the statement', async () => {
    const client = pool()
    await client.query('CREATE ROLE guest LOGIN')
    await client.query('CREATE TABLE no_store (key text)')
    await migratePostgres({ client, table: 'there_already' })
    await client.query('GRANT ALL ON there_already TO guest')
    const as = (user: string, database = 'postgres') =>
      pool(`postgres://${user}@127.0.0.1:${server.port}/${database}`)
    // The table exists, so nothing is created.
    await migratePostgres({ client: as('guest'), table: 'there_already' })
    const nobody = pool(`postgres://postgres@127.0.0.1:${await freePort()}/postgres`)
    for (const [options, code, reason] of [
      [{ client: as('guest'), table: 'not_there' }, 'STORE_IO', '42501'],
      [{ client: as('guest', 'no_such_database') }, 'STORE_IO', '3D000'],
      [{ client: as('nobody_at_all') }, 'STORE_IO', '28000'],
      [{ client, table: 'no_schema.store' }, 'STORE_IO', '3F000'],
      [{ client: nobody }, 'STORE_UNAVAILABLE', expect.stringContaining('ECONNREFUSED')],
    ] as const) {
      const error = await migratePostgres(options).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code, details: { operation: 'migratePostgres', reason } })
      expect(JSON.stringify(error)).not.toMatch(/CREATE|SELECT/)
    }
    await expect(migratePostgres({ client, table: 'no_store' })).rejects.toMatchObject({
      code: 'STORE_MISCONFIGURED',
      details: { setting: 'table no_store', received: 'another one' },
    })
  })

  test('a missing table, or a table with other columns, is reported before anything is written', async () => {
    const client = pool()
    await client.query('CREATE TABLE foreign_table (key text)')
    for (const [table, received, message] of [
      ['never_made', 'none', 'table "never_made" does not exist. Run migratePostgres() once'],
      ['no_schema.at_all', 'none', 'table "no_schema.at_all" does not exist. Run migratePostgres() once'],
      [
        'foreign_table',
        'another one',
        'table "foreign_table" has other columns than those of this store. Name another table with the option "table", and run migratePostgres() once',
      ],
    ] as const) {
      await expect(
        createPostgresStore({ client, table }).compareAndSet('a', undefined, 'b'),
      ).rejects.toMatchObject({
        code: 'STORE_MISCONFIGURED',
        message,
        details: { setting: `table ${table}`, received },
      })
    }
  })

  test('a user without the permission is rejected with an error that is not retryable', async () => {
    const client = pool()
    await client.query('CREATE ROLE reader LOGIN')
    await migratePostgres({ client })
    const reader = pool(server.url.replace('postgres@', 'reader@'))
    expect(
      await createPostgresStore({ client: reader })
        .get('key')
        .catch((error: unknown) => error),
    ).toMatchObject({
      code: 'STORE_IO',
      retryable: false,
      details: { reason: '42501' },
    })
  })

  test('a reserved word of SQL can be the name of the table', async () => {
    const client = pool()
    for (const table of ['select', 'public.user']) {
      await migratePostgres({ client, table })
      const store = createPostgresStore({ client, table })
      expect(await store.compareAndSet('key', undefined, 'kept')).toBe(true)
      expect(await store.get('key')).toBe('kept')
    }
  })

  test('a database in another encoding is rejected at the first call', async () => {
    await pool().query(
      "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'",
    )
    const client = pool(server.url.replace(/postgres$/, 'latin'))
    const misconfigured = {
      code: 'STORE_MISCONFIGURED',
      details: { setting: 'server_encoding', expected: 'UTF8', received: 'LATIN1' },
    }
    await expect(migratePostgres({ client })).rejects.toMatchObject(misconfigured)
    await expect(createPostgresStore({ client }).ready()).rejects.toMatchObject(misconfigured)
  })

  test.each(['repeatable read', 'serializable'])(
    'with %s as the default isolation, the loser of a race gets false and no error',
    async (isolation) => {
      const setup = pool()
      const table = `raced_${isolation.replace(' ', '_')}`
      await migratePostgres({ client: setup, table })
      const url = `${server.url}?options=${encodeURIComponent(`-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`)}`
      const client = pool(url)
      const { rows } = await client.query('SHOW default_transaction_isolation')
      expect(rows).toEqual([{ default_transaction_isolation: isolation }])
      const store = createPostgresStore({ client, table })
      await store.compareAndSet('count', undefined, '0')
      let written = 0
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          for (let round = 0; round < 30; round += 1) {
            const before = await store.get('count')
            if (await store.compareAndSet('count', before, `${Number(before) + 1}`)) written += 1
          }
        }),
      )
      expect(await store.get('count')).toBe(`${written}`)
      expect(written).toBeGreaterThan(0)
    },
  )

  test('a row of another program is not a value', async () => {
    const client = pool()
    await migratePostgres({ client })
    await client.query("INSERT INTO brokerwire_store (key, value) VALUES ('value:odd', $1)", ['a\u0001b'])
    expect(await outcome(createPostgresStore({ client }).get('odd'))).toBe('STORE_CORRUPT')
  })

  test('a connection whose server never responds stays in use until query_timeout of pg', async () => {
    const proxy = await startTcpProxy(server.port)
    onTestFinished(() => proxy.close())
    const url = server.url.replace(`:${server.port}/`, `:${proxy.port}/`)
    const pools = [undefined, 100].map((query_timeout) => {
      const made = new Pool({ connectionString: url, max: 1, ...(query_timeout && { query_timeout }) })
      made.on('error', () => {})
      // A connection that stays in use never ends.
      onTestFinished(() => void made.end().catch(() => {}))
      return made
    })
    await migratePostgres({ client: pool() })
    const stores = pools.map((client) => createPostgresStore({ client, timeoutMs: 800 }))
    await Promise.all(stores.map((store) => store.ready()))
    proxy.mode = 'hold'
    const codes = await Promise.all(stores.map((store) => outcome(store.get('key'))))
    expect(codes).toEqual(['STORE_UNAVAILABLE', 'STORE_UNAVAILABLE'])
    expect(pools.map(({ totalCount }) => totalCount)).toEqual([1, 0])
    proxy.cut()
  })

  test('a single client can be used instead of a pool', async () => {
    const client = new Client({ connectionString: server.url })
    await client.connect()
    onTestFinished(() => client.end())
    await migratePostgres({ client })
    expect(await createPostgresStore({ client }).compareAndSet('of one client', undefined, 'one')).toBe(true)
  })
})

const bouncer = needs('postgresql', 'pgbouncer')

describe.skipIf(bouncer.skip)(`behind a transaction pooler${bouncer.note}`, REAL_SERVERS, () => {
  test('forty writers over both clients lose no write, and a lock has one holder at a time', async () => {
    const pooler = await startPgBouncer(server)
    const pool = new Pool({ connectionString: pooler.url, max: 20 })
    pool.on('error', () => {})
    const sql = postgres(pooler.url, { prepare: false, max: 20, fetch_types: false, onnotice() {} })
    onTestFinished(async () => {
      await pool.end()
      await sql.end({ timeout: 0 })
      await pooler.close()
    })
    const other = {
      query: async (text: string, params: string[]) => ({
        rows: await sql.unsafe(text, params),
      }),
    }
    await migratePostgres({ client: pool })
    const stores = [pool, other].map((client) => createPostgresStore({ client }))
    let inside = 0
    let most = 0
    await Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        const store = stores[at % 2]
        if (store === undefined) throw new Error('no store')
        for (;;) {
          const before = await untilAvailable(() => store.get('count'))
          if (await store.compareAndSet('count', before, String(Number(before ?? 0) + 1))) break
        }
        if (at >= 6) return
        const lock = await store.lock('job')
        inside += 1
        most = Math.max(most, inside)
        await store.get('count')
        inside -= 1
        await lock.release()
      }),
    )
    expect(await stores[0]?.get('count')).toBe('40')
    expect(most).toBe(1)
    // The store never uses advisory locks, because here every session gets the same one.
    const granted: unknown[] = []
    for (let taker = 0; taker < 3; taker += 1) {
      const client = new Client({ connectionString: pooler.url })
      await client.connect()
      granted.push((await client.query('SELECT pg_try_advisory_lock(7) AS got')).rows[0].got)
      onTestFinished(() => client.end())
    }
    expect(granted.filter(Boolean).length).toBeGreaterThan(1)
  })

  test('named statements, which the store never sends, are rejected with 42P05', async () => {
    const pooler = await startPgBouncer(server)
    const clients = Array.from({ length: 3 }, () => new Client({ connectionString: pooler.url }))
    onTestFinished(async () => {
      await Promise.all(clients.map((client) => client.end()))
      await pooler.close()
    })
    const answers: unknown[] = []
    for (const client of clients) {
      await client.connect()
      // Each client names a statement in a session that already has that name from another client.
      const named = { name: 'of the test', text: 'SELECT $1::text AS got', values: ['x'] }
      answers.push(
        await client.query(named).then(
          ({ rows }) => rows,
          ({ code }: { code?: unknown }) => code,
        ),
      )
      // The error is reported before the session is free: the next client would get another session.
      await client.query('SELECT')
    }
    expect(answers).toEqual([[{ got: 'x' }], '42P05', '42P05'])
  })

  test('postgres.js hangs or fails with its default `prepare`, and works with `prepare: false`', async () => {
    const pooler = await startPgBouncer(server)
    onTestFinished(() => pooler.close())
    /** Statements of several connections at once, in the client's own form. */
    const askMany = async (count: number, options: { readonly prepare?: false }): Promise<unknown> => {
      // Without its query for types, whose failure after `end()` is not handled by the client.
      const sql = postgres(pooler.url, { max: 6, fetch_types: false, onnotice() {}, ...options })
      const questions = Array.from(
        { length: count },
        async (_, at) => (await sql`SELECT ${at}::int AS got`)[0]?.got,
      )
      const hangs = new Promise((resolve) => {
        const timer = setTimeout(resolve, HANGS_MS, 'hangs')
        onTestFinished(() => clearTimeout(timer))
      })
      const answers = Promise.all(questions).catch(() => 'fails')
      const answer = await Promise.race(options.prepare === false ? [answers] : [answers, hangs])
      await sql.end({ timeout: 0 })
      return answer
    }
    expect(await askMany(60, { prepare: false })).toEqual(Array.from({ length: 60 }, (_, at) => at))
    // So many that not all of them get the session that knows their statement.
    expect(['hangs', 'fails']).toContain(await askMany(3000, {}))
  })
})

test('values with NUL, and values that look like its escape, are returned unchanged', () => {
  for (const text of [
    '',
    'plain',
    '\u0000',
    '\u0001',
    '\u00010',
    '\u0001\u0001',
    'a\u0000b\u0001\u0000',
    '\\0',
  ])
    expect(fromColumn(toColumn(text))).toBe(text)
  expect(new Set(['\u0000', '\u00010', '\u0001', '\u0001\u0001', '0'].map(toColumn)).size).toBe(5)
  expect(toColumn('{"token":"plain"}')).toBe('{"token":"plain"}')
  expect(fromColumn('\u0001x')).toBeUndefined()
  expect(fromColumn('\u0001')).toBeUndefined()
})

const client = { query: async () => ({ rows: [] }) }

test.each([
  [{}, 'client'],
  [{ client: {} }, 'client.query'],
  [{ client, table: 'Drop; table' }, 'table'],
  [{ client, table: 'a.b.c' }, 'table'],
  [{ client, table: '' }, 'table'],
  [{ client, timeoutMs: 5 }, 'timeoutMs'],
  [{ client, leaseMs: 999 }, 'leaseMs'],
])('names a wrong option: %j', (options, option) => {
  expect(() => createPostgresStore(options as never)).toThrow(
    expect.objectContaining({ code: 'STORE_OPTION_INVALID', details: expect.objectContaining({ option }) }),
  )
})

test.each([
  [{ client, timeoutMS: 500 }, 'timeoutMS'],
  [{ client, timeoutMs: 5 }, 'timeoutMs'],
  [{ client, leaseMs: 2000 }, 'leaseMs'],
  [{ client, table: '' }, 'table'],
  [{ client: {} }, 'client.query'],
  [{ client, clock: {} }, 'clock.now'],
])('names a wrong option of the migration: %j', async (options, option) => {
  await expect(migratePostgres(options as never)).rejects.toMatchObject({
    code: 'STORE_OPTION_INVALID',
    details: { option: expect.stringContaining(option) },
  })
})
