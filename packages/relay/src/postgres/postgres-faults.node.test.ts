/**
 * A server that is killed, hangs, or fails over while relays write: nothing that was acknowledged is missing, nothing
 * is stored twice, and the order is kept.
 */
import { REAL_SERVERS } from '@brokerwire/testing/installed'
import { startPostgres, startStandby } from '@brokerwire/testing/postgres'
import { startTcpProxy } from '@brokerwire/testing/tcp-proxy'
import { waitUntil } from '@brokerwire/testing/wait'
import { describe, expect, inject, test } from 'vitest'
import { isRelayError } from '../relay-error.ts'
import type { EventSink, SinkState } from '../sink/event-sink.ts'
import { ADDRESS, entries, entry, keys } from '../test/entries.ts'
import { ALL, note, openPool, skip } from '../test/postgres.ts'
import { migratePostgresSink } from './migrate.ts'
import { createPostgresSink } from './postgres-sink.ts'

const isFullRun = inject('isFullRun')
const TIMEOUTS = { connectionTimeoutMillis: 500, query_timeout: 1500 }

/** Retries while the server is not available. */
async function untilAvailable<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!isRelayError(error, 'RELAY_SINK_UNAVAILABLE')) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

describe.skipIf(skip)(`faults of a Postgres server${note}`, REAL_SERVERS, () => {
  test('a server that is killed under load loses, doubles and reorders nothing', async ({
    onTestFinished,
  }) => {
    const server = await startPostgres()
    onTestFinished(() => server.close())
    const pool = openPool(server.url, TIMEOUTS)
    await migratePostgresSink({ client: pool })
    const states: SinkState[] = []
    await using sink = createPostgresSink({
      client: pool,
      address: ADDRESS,
      requestTimeoutMs: 1000,
      onState: (state) => states.push(state),
    })
    await sink.tail(ALL)
    const kills = isFullRun ? 10 : 2
    let isDone = false
    let count = 0
    const acknowledged: Promise<number>[] = []
    const load = (async () => {
      while (!isDone) {
        acknowledged.push(sink.publish(entries(count + 1, count + 20)).then(({ sequence }) => sequence))
        count += 20
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
    })()
    for (let kill = 0; kill < kills; kill += 1) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      await server.restart()
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
    isDone = true
    await load
    // Each acknowledgement has the position of the last message of its batch.
    expect(await Promise.all(acknowledged)).toEqual(acknowledged.map((_, at) => at * 20 + 20))
    const { rows } = await openPool(server.url).query(
      'SELECT position::int, key FROM brokerwire_events ORDER BY 1',
    )
    expect(rows).toEqual(entries(1, count).map(({ key }, at) => ({ position: at + 1, key })))
    expect(states.filter(({ state }) => state === 'waiting').length).toBeGreaterThan(0)
    expect(states.at(-1)).toEqual({ state: 'writing' })
  })

  test('two writers that alternate while connections are cut store each message once, in order', async ({
    onTestFinished,
  }) => {
    const server = await startPostgres()
    onTestFinished(() => server.close())
    const proxy = await startTcpProxy(server.port)
    onTestFinished(() => proxy.close())
    const url = server.url.replace(`:${server.port}`, `:${proxy.port}`)
    const direct = openPool(server.url)
    await migratePostgresSink({ client: direct })
    let next = 1
    const cut = setInterval(() => proxy.cut(), 150)
    onTestFinished(() => clearInterval(cut))
    const total = isFullRun ? 20_000 : 1200
    /** Writes the numbers in turn with the other writer, from what the stream has at its takeover. */
    const write = async (sink: EventSink): Promise<void> => {
      while (next <= total) {
        try {
          const { entries: found } = await untilAvailable(() => sink.tail({ maxEntries: 1 }))
          next = found.length === 0 ? 1 : Number(found[0]?.key.split('-')[1]?.split(':')[0]) + 1
          const calls = []
          for (let from = next; from <= Math.min(total, next + 299); from += 10)
            calls.push(sink.publish(entries(from, from + 9)))
          await Promise.all(calls)
        } catch (error) {
          if (!isRelayError(error, 'RELAY_FENCED')) throw error
        }
      }
    }
    const sinks = [1, 2].map(() =>
      createPostgresSink({ client: openPool(url, TIMEOUTS), address: ADDRESS, requestTimeoutMs: 1000 }),
    )
    await Promise.all(sinks.map(write))
    for (const sink of sinks) await sink.close()
    const { rows } = await direct.query('SELECT key FROM brokerwire_events ORDER BY position')
    expect(rows.map(({ key }) => key)).toEqual(keys(entries(1, total)))
  })

  test('a server that hangs holds a call for no longer than its time limit', async ({ onTestFinished }) => {
    const server = await startPostgres()
    onTestFinished(() => server.close())
    const pool = openPool(server.url, TIMEOUTS)
    await migratePostgresSink({ client: pool })
    const states: SinkState[] = []
    const sink = createPostgresSink({
      client: pool,
      address: ADDRESS,
      requestTimeoutMs: 300,
      onState: (state) => states.push(state),
    })
    await sink.tail(ALL)
    await sink.publish([entry(1)])
    await server.pause()
    await expect(sink.probe?.()).rejects.toMatchObject({
      code: 'RELAY_SINK_UNAVAILABLE',
      details: { reason: 'no response within 300 ms' },
    })
    const published = sink.publish([entry(2)])
    await expect.poll(() => states.at(-1)).toMatchObject({ state: 'waiting' })
    server.resume()
    expect(await published).toEqual({ sequence: 2 })
    await server.pause()
    const lost = sink.publish([entry(3)])
    const closing = sink.close()
    await expect(lost).rejects.toMatchObject({ code: 'RELAY_CLOSED' })
    await closing
    server.resume()
    await using later = createPostgresSink({ client: openPool(server.url), address: ADDRESS })
    const tail = await untilAvailable(() => later.tail(ALL))
    // The last message may be stored, and is not stored twice.
    expect([2, 3]).toContain(tail.entries.length)
    expect(keys(tail.entries)).toEqual(keys(entries(1, tail.entries.length)))
  })

  test('a promoted standby that lacks acknowledged messages is a truncated stream', async ({
    onTestFinished,
  }) => {
    const primary = await startPostgres()
    onTestFinished(() => primary.close())
    const link = await startTcpProxy(primary.port)
    onTestFinished(() => link.close())
    const pool = openPool(primary.url, TIMEOUTS)
    await migratePostgresSink({ client: pool })
    await using sink = createPostgresSink({ client: pool, address: ADDRESS })
    const { streamId } = await sink.tail(ALL)
    await sink.publish(entries(1, 5))
    const standby = await startStandby(primary.port, link.port)
    onTestFinished(() => standby.close())
    const standbyPool = openPool(standby.url, TIMEOUTS)
    const replayed = async () =>
      (await standbyPool.query('SELECT count(*)::int AS count FROM brokerwire_events')).rows[0].count === 5
    await waitUntil(() => replayed().catch(() => false))
    link.mode = 'hold'
    await sink.publish(entries(6, 9))
    await primary.kill()
    link.cut()
    // A client that follows the primary, as with several hosts in the connection string.
    let target = pool
    const client = { query: (text: string, params: string[]) => target.query(text, params) }
    await using following = createPostgresSink({ client: standbyPool, address: ADDRESS })
    await expect(following.tail(ALL)).rejects.toMatchObject({
      code: 'RELAY_SINK_UNAVAILABLE',
      message: expect.stringContaining('pg_promote'),
    })
    await primary.restart()
    await using moved = createPostgresSink({ client, address: ADDRESS })
    await untilAvailable(() => moved.tail(ALL))
    await primary.kill()
    await standby.promote()
    target = standbyPool
    await expect(untilAvailable(() => moved.probe?.() ?? Promise.resolve({}))).rejects.toMatchObject({
      code: 'RELAY_STREAM_TRUNCATED',
      details: { acknowledged: 9, sequence: 5 },
    })
    expect(await moved.tail(ALL)).toMatchObject({ sequence: 5, streamId })
    expect(await moved.publish([entry(6)])).toEqual({ sequence: 6 })
  })
})
