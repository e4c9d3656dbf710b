/** The sink on a real server: the suites of all sinks, and what only this sink has. */
import { REAL_SERVERS } from '@brokerwire/testing/installed'
import { startPgBouncer } from '@brokerwire/testing/postgres'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { contractSuite } from '../test/contract-suite.ts'
import { ADDRESS, entries, entry, keys, tradeEntry } from '../test/entries.ts'
import { ALL, note, openPool, server, setUpTable, skip, usePostgres } from '../test/postgres.ts'
import { streamName } from '../wire/subjects.ts'
import { migratePostgresSink } from './migrate.ts'
import { createPostgresSink } from './postgres-sink.ts'

usePostgres()
const NAME = streamName(ADDRESS)

describe.skipIf(skip)(`a Postgres sink${note}`, REAL_SERVERS, () => {
  contractSuite({
    async open() {
      const { open, pool, table } = await setUpTable({ maxMessageBytes: 2 * 1024 * 1024 })
      return {
        openSink: () => open(),
        async truncate(sequence) {
          await pool.query(`DELETE FROM ${table} WHERE position > $1`, [sequence])
          const change = sequence === 0 ? 'DELETE FROM' : 'UPDATE'
          const values = sequence === 0 ? '' : `SET last_position = ${sequence}, last_batch = 'restored'`
          await pool.query(`${change} ${table}_streams ${values}`)
        },
        restart: () => server.restart(),
        oversizedBytes: 2 * 1024 * 1024,
      }
    },
  })

  test('stores bytes, every character, and headers, as they were', async () => {
    const { open } = await setUpTable()
    await using sink = open()
    await sink.tail(ALL)
    const bytes = Uint8Array.from({ length: 300 }, (_, at) => at % 256)
    const batch = [
      { ...entry(1), body: '', data: bytes },
      { ...entry(2), body: '', data: new Uint8Array(0) },
      { ...entry(3), body: 'with \u0000 and \\u0000' },
      { ...entry(4), body: '"\\ \u0001\u001f \u2028 \u{1f4c8}\r\n' },
      { ...entry(5), body: '' },
      { ...entry(6), headers: { 'Brokerwire-Schema': '2', Quoted: `"'\\` } },
    ]
    await sink.publish(batch)
    expect((await sink.tail(ALL)).entries).toEqual(
      batch.map((stored, at) => ({ ...stored, sequence: at + 1 })),
    )
  })

  test('stores a lone surrogate as the replacement character, as other sinks do', async () => {
    const { open } = await setUpTable()
    await using sink = open()
    await sink.tail(ALL)
    await sink.publish([{ ...entry(1), body: 'a\ud800b' }])
    expect((await sink.tail(ALL)).entries).toMatchObject([{ body: 'a\ufffdb' }])
  })

  test('has the attributes of CloudEvents in columns if they are enabled', async () => {
    const { open, pool, table } = await setUpTable()
    for (const cloudEvents of [false, true]) {
      await using sink = open({ cloudEvents })
      await sink.tail(ALL)
      await sink.publish([entry(1)])
    }
    const { rows } = await pool.query(
      `SELECT ce_id, ce_source, ce_type, ce_subject, ce_time, ce_datacontenttype FROM ${table} ORDER BY position`,
    )
    expect(rows.map((row) => Object.values(row))).toEqual([
      [null, null, null, null, null, null],
      [
        'APPLICATION:e-1:digest',
        '/brokerwire/sandbox/us/team-a',
        'brokerwire.event.module',
        'module.event.ACC1.APPLICATION',
        '2026-01-01T00:00:00.123456789Z',
        'application/json',
      ],
    ])
  })

  test('keeps the streams of several apps in one table, each with positions from 1', async () => {
    const { table, pool, open } = await setUpTable()
    await using first = open()
    await using second = open({ address: { ...ADDRESS, app: 'team-b' } })
    await first.tail(ALL)
    await second.tail(ALL)
    await Promise.all([first.publish(entries(1, 3)), second.publish(entries(11, 12))])
    const { rows } = await pool.query(
      `SELECT stream, array_agg(position ORDER BY position)::text AS positions FROM ${table} GROUP BY stream ORDER BY 1`,
    )
    expect(rows).toEqual([
      { stream: NAME, positions: '{1,2,3}' },
      { stream: 'brokerwire_sandbox_us_team-b', positions: '{1,2}' },
    ])
  })

  test('finds the last message of a subject among many subjects, at the position of the tail', async () => {
    const { open, pool, table } = await setUpTable()
    await using sink = open()
    await sink.tail(ALL)
    const many = Array.from({ length: 900 }, (_, at) => ({
      ...tradeEntry(at),
      subject: `brokerwire.sandbox.us.team-a.trade.event.ACC${at % 300}.${at % 2 === 0 ? 'order' : 'position'}`,
    }))
    await sink.publish([...entries(1, 5), ...many])
    const root = 'brokerwire.sandbox.us.team-a'
    const lastOf = [
      `${root}.trade.event.*.*`,
      `${root}.trade.event.*.order`,
      `${root}.trade.event.ACC7.*`,
      `${root}.trade.notice.gap`,
      `${root}.module.event.*.APPLICATION`,
      `${root}.>`,
    ]
    const tail = await sink.tail({ maxEntries: 0, lastOf })
    expect(tail.lastOf.map((found) => found?.sequence)).toEqual([905, 904, 613, undefined, 5, 905])
    // One index lookup for each subject: the plan has no sequential scan if the table is large.
    await pool.query(`ANALYZE ${table}`)
  })

  test('works behind a transaction pooler, and over one connection', async ({ onTestFinished }) => {
    const { table } = await setUpTable()
    const pooler = await startPgBouncer(server)
    onTestFinished(() => pooler.close())
    const open = (client: Parameters<typeof createPostgresSink>[0]['client']) =>
      createPostgresSink({ client, address: ADDRESS, table })
    await using pooled = open(openPool(pooler.url))
    await pooled.tail(ALL)
    await Promise.all(
      Array.from({ length: 20 }, (_, call) => pooled.publish(entries(call * 10 + 1, call * 10 + 10))),
    )
    const client = new Client({ connectionString: server.url })
    await client.connect()
    onTestFinished(() => client.end())
    await using single = open(client)
    expect(keys((await single.tail(ALL)).entries)).toEqual(keys(entries(1, 200)))
  })

  test('notifies listeners of each batch, with the stream and its last position', async ({
    onTestFinished,
  }) => {
    const { table, open } = await setUpTable()
    const listener = new Client({ connectionString: server.url })
    await listener.connect()
    onTestFinished(() => listener.end())
    const received: string[] = []
    listener.on('notification', ({ channel, payload }) => received.push(`${channel} ${payload}`))
    await listener.query(`LISTEN ${table}`)
    await using sink = open()
    await sink.tail(ALL)
    await sink.publish(entries(1, 3))
    await sink.publish(entries(4, 5))
    await expect.poll(() => received).toEqual([`${table} ${NAME} 3`, `${table} ${NAME} 5`])
  })

  test('a stream that is deleted and created again has another identity', async () => {
    const { table, pool, open } = await setUpTable()
    await using sink = open()
    const { streamId } = await sink.tail(ALL)
    await sink.publish(entries(1, 3))
    expect((await sink.tail(ALL)).streamId).toBe(streamId)
    await pool.query(`DELETE FROM ${table}_streams`)
    await expect(sink.publish([entry(4)])).rejects.toMatchObject({
      code: 'RELAY_STREAM_TRUNCATED',
      details: { acknowledged: 3, sequence: 0 },
    })
    const tail = await sink.tail(ALL)
    // The events that the table still has keep their positions.
    expect(tail).toMatchObject({ sequence: 3 })
    expect(tail.streamId).not.toBe(streamId)
    await sink.publish([entry(4)])
  })

  test('rejects a message that is longer than maxMessageBytes, with its batch', async () => {
    const { open } = await setUpTable({ maxMessageBytes: 2048 })
    await using sink = open()
    await sink.tail(ALL)
    const long = { ...entry(2), body: '\u0001'.repeat(400) }
    expect(sink.checkSize?.(entry(1))).toBeUndefined()
    expect(sink.checkSize?.(long)).toEqual({
      messageBytes: expect.any(Number),
      maxBytes: 2048,
      setting: 'maxMessageBytes',
    })
    const rejected = { code: 'RELAY_EVENT_OVERSIZED', message: expect.stringContaining('maxMessageBytes') }
    await expect(sink.publish([entry(1), long, entry(3)])).rejects.toMatchObject(rejected)
    await expect(sink.publish([entry(4)])).rejects.toMatchObject(rejected)
    expect((await sink.tail(ALL)).entries).toEqual([])
    expect(await sink.publish([entry(1)])).toEqual({ sequence: 1 })
  })

  test('a large batch is divided into statements, and acknowledged when all of it is stored', async () => {
    const { open } = await setUpTable({ maxBatchMessages: 7 })
    await using sink = open()
    await sink.tail(ALL)
    expect(await sink.publish(entries(1, 1000))).toEqual({ sequence: 1000 })
    expect(keys((await sink.tail(ALL)).entries)).toEqual(keys(entries(1, 1000)))
  })

  test('probe confirms the stream, and notices another writer and a truncation', async () => {
    const { table, pool, open } = await setUpTable({ retention: { maxAgeMs: 3_600_000 } })
    await using sink = open()
    await expect(sink.probe?.()).rejects.toMatchObject({ code: 'RELAY_SINK_UNAVAILABLE' })
    await sink.tail(ALL)
    await sink.publish(entries(1, 3))
    expect(await sink.probe?.()).toEqual({ maxAgeMs: 3_600_000 })
    await using other = open()
    await other.tail(ALL)
    await other.publish([entry(4)])
    await expect(sink.probe?.()).rejects.toMatchObject({ code: 'RELAY_FENCED', details: { sequence: 4 } })
    await expect(sink.publish([entry(5)])).rejects.toMatchObject({ code: 'RELAY_FENCED' })
    await pool.query(`DELETE FROM ${table} WHERE position > 2`)
    await pool.query(`UPDATE ${table}_streams SET last_position = 2`)
    await expect(other.probe?.()).rejects.toMatchObject({
      code: 'RELAY_STREAM_TRUNCATED',
      details: { acknowledged: 4, sequence: 2 },
    })
  })

  test('the migration may run twice and several times at once, and fits a schema and psql', async () => {
    const pool = openPool()
    const table = 'made_at_once'
    const results = await Promise.all(
      Array.from({ length: 6 }, () => migratePostgresSink({ client: pool, table })),
    )
    expect(results.filter(({ isCreated }) => isCreated)).toHaveLength(1)
    expect(await migratePostgresSink({ client: pool, table })).toEqual({ version: 1, isCreated: false })
    await pool.query('CREATE SCHEMA apart')
    expect(await migratePostgresSink({ client: pool, table: 'apart.events' })).toMatchObject({
      isCreated: true,
    })
    await using sink = createPostgresSink({ client: pool, address: ADDRESS, table: 'apart.events' })
    await sink.tail(ALL)
    expect(await sink.publish([entry(1)])).toEqual({ sequence: 1 })
  })
})
