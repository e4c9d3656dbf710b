/** Servers, databases and tables that the sink cannot write to: each error has the command that corrects it. */
import { freePort } from '@brokerwire/testing/free-port'
import { REAL_SERVERS } from '@brokerwire/testing/installed'
import { describe, expect, test } from 'vitest'
import { ADDRESS, entry } from '../test/entries.ts'
import { ALL, note, openPool, server, setUpTable, skip, usePostgres } from '../test/postgres.ts'
import { migratePostgresSink } from './migrate.ts'
import { createPostgresSink } from './postgres-sink.ts'

usePostgres()

const MIGRATE = 'brokerwire relay --config FILE --migrate'
const urlOf = (user: string, database = 'postgres') =>
  `postgres://${user}@127.0.0.1:${server.port}/${database}`

describe.skipIf(skip)(`a misconfigured server${note}`, REAL_SERVERS, () => {
  test('a missing table, a missing schema and a table of another program name the migration', async () => {
    const client = openPool()
    const tail = (table: string) => createPostgresSink({ client, address: ADDRESS, table }).tail(ALL)
    const missing = {
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { received: 'none', command: MIGRATE },
      message: expect.stringContaining(`${MIGRATE}`),
    }
    await expect(tail('missing')).rejects.toMatchObject(missing)
    await expect(tail('missing.events')).rejects.toMatchObject(missing)
    await client.query('CREATE TABLE orders (id int)')
    const foreign = {
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { setting: 'table "orders"', received: 'a table of another program' },
      message: expect.stringContaining('sink.table'),
    }
    await expect(tail('orders')).rejects.toMatchObject(foreign)
    await expect(migratePostgresSink({ client, table: 'orders' })).rejects.toMatchObject(foreign)
    expect((await client.query('SELECT * FROM orders')).fields.map(({ name }) => name)).toEqual(['id'])
  })

  test('tables of a newer version name the update, and are not changed', async () => {
    const { table, pool, open } = await setUpTable()
    await pool.query(`COMMENT ON TABLE ${table} IS 'Events of brokerwire relays, version 2'`)
    const newer = {
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { expected: '1', received: '2', command: undefined },
      message: expect.stringContaining('Update @brokerwire/relay'),
    }
    await expect(open().tail(ALL)).rejects.toMatchObject(newer)
    await expect(migratePostgresSink({ client: pool, table })).rejects.toMatchObject(newer)
  })

  test('missing privileges are granted by the command in the error', async () => {
    const { table, pool } = await setUpTable()
    await pool.query('CREATE ROLE "relay-user" LOGIN')
    const client = openPool(urlOf('relay-user'))
    await using sink = createPostgresSink({ client, address: ADDRESS, table })
    const error = await sink.tail(ALL).catch((reason) => reason)
    expect(error).toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      details: {
        setting: 'privileges',
        received: '42501',
        command: `GRANT SELECT, INSERT, DELETE ON "${table}" TO "relay-user"; GRANT SELECT, INSERT, UPDATE ON "${table}_streams" TO "relay-user"`,
      },
    })
    await pool.query(error.details.command)
    await sink.tail(ALL)
    expect(await sink.publish([entry(1)])).toEqual({ sequence: 1 })
    await pool.query(`REVOKE INSERT ON ${table} FROM "relay-user"`)
    await expect(sink.publish([entry(2)])).rejects.toMatchObject({ details: { setting: 'privileges' } })
    await pool.query(error.details.command)
    expect((await sink.tail(ALL)).sequence).toBe(1)
  })

  test('a table that is dropped while it is written names the migration', async () => {
    const { table, pool, open } = await setUpTable()
    await using sink = open()
    await sink.tail(ALL)
    await pool.query(`DROP TABLE ${table}`)
    await expect(sink.publish([entry(1)])).rejects.toMatchObject({ details: { command: MIGRATE } })
  })

  test('a role, a password or a database that the server rejects is no reason to wait', async () => {
    const tail = (url: string) => createPostgresSink({ client: openPool(url), address: ADDRESS }).tail(ALL)
    await expect(tail(urlOf('unknown-role'))).rejects.toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { setting: 'connection', received: '28000' },
    })
    await expect(tail(urlOf('postgres', 'missing'))).rejects.toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { setting: 'connection', received: '3D000' },
      message: expect.stringContaining('createdb'),
    })
  })

  test('a database with another encoding is rejected, because it cannot store every character', async () => {
    await openPool().query("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'")
    const client = openPool(urlOf('postgres', 'latin'))
    await expect(createPostgresSink({ client, address: ADDRESS }).tail(ALL)).rejects.toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { setting: 'server_encoding', expected: 'UTF8', received: 'LATIN1' },
    })
  })

  test('events that another program wrote after the last position are found, and nothing is overwritten', async () => {
    const { table, pool, open } = await setUpTable()
    await using sink = open()
    await sink.tail(ALL)
    await sink.publish([entry(1)])
    await pool.query(
      `INSERT INTO ${table} SELECT stream, 2, subject, key, headers, 'of another program' FROM ${table}`,
    )
    const error = await sink.publish([entry(2)]).catch((reason) => reason)
    expect(error).toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { setting: `last_position in "${table}_streams"`, expected: '2' },
    })
    await expect(sink.tail(ALL)).rejects.toMatchObject({ details: { command: error.details.command } })
    await pool.query(error.details.command)
    expect((await sink.tail(ALL)).sequence).toBe(2)
    expect(await sink.publish([entry(3)])).toEqual({ sequence: 3 })
  })

  test('a server that is not reachable, and one that is read-only, are unavailable', async () => {
    const nothing = openPool(`postgres://postgres@127.0.0.1:${await freePort()}/postgres`)
    await expect(createPostgresSink({ client: nothing, address: ADDRESS }).tail(ALL)).rejects.toMatchObject({
      code: 'RELAY_SINK_UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining('ECONNREFUSED'),
    })
    const { table } = await setUpTable()
    const readOnly = openPool(server.url, { options: '-c default_transaction_read_only=on' })
    await expect(
      createPostgresSink({ client: readOnly, address: ADDRESS, table }).tail(ALL),
    ).rejects.toMatchObject({
      code: 'RELAY_SINK_UNAVAILABLE',
      message: expect.stringMatching(/read-only.*pg_promote\(\).*25006/),
    })
  })

  test('a server that becomes read-only, or has no space, only delays what is published', async () => {
    const { table, pool, open } = await setUpTable()
    const states: unknown[] = []
    await using sink = open({ onState: (state) => states.push(state) })
    await sink.tail(ALL)
    // The trigger raises the errors that Postgres itself raises.
    await pool.query(`CREATE FUNCTION fail_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION USING ERRCODE = (SELECT current_setting('test.error')); END $$`)
    for (const [code, reason] of [
      ['53100', /disk of the server is full.*53100/],
      ['25006', /read-only.*25006/],
    ] as const) {
      await pool.query(`ALTER DATABASE postgres SET test.error = '${code}'`)
      const fresh = openPool()
      await using delayed = createPostgresSink({
        client: fresh,
        address: ADDRESS,
        table,
        onState: (state) => states.push(state),
      })
      await delayed.tail(ALL)
      await pool.query(
        `CREATE TRIGGER fail BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION fail_${table}()`,
      )
      const before = states.length
      const published = delayed.publish([entry(1)])
      await expect.poll(() => states.length).toBe(before + 1)
      expect(states.at(-1)).toEqual({ state: 'waiting', reason: expect.stringMatching(reason) })
      await pool.query(`DROP TRIGGER fail ON ${table}`)
      await published
      expect(states.at(-1)).toEqual({ state: 'writing' })
    }
    expect((await sink.tail(ALL)).sequence).toBe(2)
  })

  test('no error has an event, a statement or the connection string', async () => {
    const secret = 'not-shown'
    const { table, pool, open } = await setUpTable()
    await using sink = open()
    await sink.tail(ALL)
    await pool.query(`ALTER TABLE ${table} ADD CONSTRAINT never CHECK (body <> '${secret}')`)
    const error = await sink.publish([{ ...entry(1), body: secret }]).catch((reason) => reason)
    expect(error).toMatchObject({ code: 'RELAY_SINK_MISCONFIGURED', details: { received: '23514' } })
    expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(secret)
  })
})
