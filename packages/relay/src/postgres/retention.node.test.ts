/** The oldest events are deleted: by the sink, or by dropping partitions. */
import { createVirtualClock } from '@brokerwire/core/testing'
import { REAL_SERVERS } from '@brokerwire/testing/installed'
import { describe, expect, test } from 'vitest'
import { ADDRESS, entries, entry } from '../test/entries.ts'
import { ALL, note, openPool, setUpTable, skip, usePostgres } from '../test/postgres.ts'
import { createPostgresSink } from './postgres-sink.ts'
import { migrationStatements } from './schema.ts'

usePostgres()

const firstPosition = (table: string) =>
  `SELECT min(position)::int AS first, count(*)::int AS count FROM ${table}`

describe.skipIf(skip)(`the retention of a Postgres sink${note}`, REAL_SERVERS, () => {
  test('deletes the oldest events beyond maxMessages, every minute and at the start, in batches', async () => {
    const clock = createVirtualClock()
    const { table, pool, open } = await setUpTable({ clock })
    const first = async () => (await pool.query(firstPosition(table))).rows[0]
    await using filling = open()
    await filling.tail(ALL)
    await filling.publish(entries(1, 6500))
    expect(await first()).toEqual({ first: 1, count: 6500 })
    await using sink = open({ retention: { maxMessages: 1000 } })
    expect((await sink.tail(ALL)).retention).toEqual({ maxMessages: 1000 })
    await expect.poll(first).toEqual({ first: 5501, count: 1000 })
    await sink.publish(entries(1, 500))
    expect(await first()).toEqual({ first: 5501, count: 1500 })
    await clock.advance(60_000)
    await expect.poll(first).toEqual({ first: 6001, count: 1000 })
    // The stream continues after deleted events.
    expect(await sink.tail({ maxEntries: 5000 })).toMatchObject({ sequence: 7000 })
    expect(await sink.publish([entry(1)])).toEqual({ sequence: 7001 })
  })

  test('deletes events that are older than maxAgeMs, and only those of its stream', async () => {
    const { table, pool, open } = await setUpTable()
    await using filling = open()
    await using other = open({ address: { ...ADDRESS, app: 'team-b' } })
    for (const sink of [filling, other]) {
      await sink.tail(ALL)
      await sink.publish(entries(1, 10))
    }
    await pool.query(`UPDATE ${table} SET stored_at = now() - interval '2 hours' WHERE position <= 6`)
    await using sink = open({ retention: { maxAgeMs: 3_600_000 } })
    await sink.tail(ALL)
    await expect
      .poll(
        async () =>
          (await pool.query(`SELECT stream, min(position)::int AS first FROM ${table} GROUP BY 1 ORDER BY 1`))
            .rows,
      )
      .toEqual([
        { stream: 'brokerwire_sandbox_us_team-a', first: 7 },
        { stream: 'brokerwire_sandbox_us_team-b', first: 1 },
      ])
  })

  test('deletes nothing if another program does, and reports the limits', async () => {
    const { table, pool, open } = await setUpTable()
    await using filling = open()
    await filling.tail(ALL)
    await filling.publish(entries(1, 1500))
    await using sink = open({ retention: { maxMessages: 1000, deletes: false } })
    expect((await sink.tail(ALL)).retention).toEqual({ maxMessages: 1000 })
    await sink.publish([entry(1)])
    expect((await pool.query(firstPosition(table))).rows[0]).toEqual({ first: 1, count: 1501 })
  })

  test('a table with partitions by position fits, and continues when the oldest partition is dropped', async () => {
    const pool = openPool()
    const [create = '', ...rest] = migrationStatements('parted')
    await pool.query(`${create} PARTITION BY RANGE (position)`)
    for (const statement of rest) await pool.query(statement)
    await pool.query('CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (1) TO (101)')
    await pool.query('CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (101) TO (1001)')
    await using sink = createPostgresSink({ client: pool, address: ADDRESS, table: 'parted' })
    await sink.tail(ALL)
    await sink.publish(entries(1, 200))
    await pool.query('DROP TABLE parted_1')
    const tail = await sink.tail({
      maxEntries: 500,
      lastOf: ['brokerwire.sandbox.us.team-a.module.event.*.*'],
    })
    expect(tail).toMatchObject({ sequence: 200, lastOf: [{ sequence: 200 }] })
    expect(tail.entries).toHaveLength(100)
    expect(await sink.publish([entry(201)])).toEqual({ sequence: 201 })
  })
})
