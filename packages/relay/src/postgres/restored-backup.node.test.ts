/** An app whose table is restored from a backup, or lost: the next relay continues, and the missing events are in a gap. */
import { startSimulator } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import { REAL_SERVERS } from '@brokerwire/testing/installed'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isEvent, isInGap, startAppRelay } from '../test/app-relay.ts'
import { ALL, note, setUpTable, skip, usePostgres } from '../test/postgres.ts'

usePostgres()
const SLOW = { timeout: 30_000 }

describe.skipIf(skip)(`a table that is restored${note}`, REAL_SERVERS, () => {
  test.each([
    ['from a backup', 1],
    ['without its events', 0],
  ])('%s: the events that it lacks are in a gap', async (_, kept) => {
    const { table, pool, open } = await setUpTable()
    const simulator = await startSimulator({ seed: 5, slotLingerMs: 0, maxConnections: 100 })
    onTestFinished(() => simulator.close())
    const store = createMemoryStore()
    const bodies = async (): Promise<string[]> => {
      const { rows } = await pool.query(
        `SELECT body FROM ${table} WHERE headers->>'Brokerwire-Type' = 'event' ORDER BY position`,
      )
      return rows.map(({ body }) => body)
    }
    const start = async () => {
      await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(0)
      const relay = startAppRelay({ simulator, store, sink: open() })
      await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(3)
      return relay
    }
    const first = await start()
    const early = simulator.emitOrder()
    await expect.poll(bodies, SLOW).toEqual([early.payload])
    await pool.query(`CREATE TABLE ${table}_copy AS SELECT * FROM ${table}`)
    await pool.query(`CREATE TABLE ${table}_streams_copy AS SELECT * FROM ${table}_streams`)
    const late = simulator.emitOrder()
    await expect.poll(bodies, SLOW).toEqual([early.payload, late.payload])
    expect(await first.stop()).toMatchObject({ why: 'released' })

    await pool.query(`TRUNCATE ${table}, ${table}_streams`)
    if (kept > 0) {
      await pool.query(`INSERT INTO ${table} SELECT * FROM ${table}_copy`)
      await pool.query(`INSERT INTO ${table}_streams SELECT * FROM ${table}_streams_copy`)
    }
    const second = await start()
    const next = simulator.emitOrder()
    await expect.poll(async () => (await bodies()).at(-1), SLOW).toBe(next.payload)
    expect(await second.stop()).toMatchObject({ why: 'released' })
    await using sink = open()
    const { entries } = await sink.tail(ALL)
    expect(entries.filter(isEvent).map(({ body }) => body)).toEqual(
      [early, next].slice(1 - kept).map(({ payload }) => payload),
    )
    expect(isInGap(entries, 'trade', late.timestampMs)).toBe(true)
    if (kept === 0) expect(isInGap(entries, 'trade', early.timestampMs)).toBe(true)
  })
})
