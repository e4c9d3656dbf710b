/** The sink on real servers: the contract of all sinks, wrong settings, a server that hangs, and a failover. */
import { REAL_SERVERS } from '@brokerwire/testing/installed'
import { type RedisServer, startRedis } from '@brokerwire/testing/redis'
import { waitUntil } from '@brokerwire/testing/wait'
import type { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { SinkState } from '../sink/event-sink.ts'
import { contractSuite } from '../test/contract-suite.ts'
import { ADDRESS, entries, entry, keys } from '../test/entries.ts'
import { ALL, connect, note, skip, startOther } from '../test/redis.ts'
import { streamName } from '../wire/subjects.ts'
import { createRedisSink, type RedisSinkOptions } from './redis-sink.ts'
import type { RedisSinkWarning } from './server-errors.ts'

const NAME = streamName(ADDRESS)

let server: RedisServer
beforeAll(async () => {
  if (!skip) server = await startRedis()
}, 60_000)
afterAll(() => server?.close())

function setUp(change: Partial<RedisSinkOptions> = {}, port = server.port) {
  const client = connect(port)
  const open = (more: Partial<RedisSinkOptions> = {}) =>
    createRedisSink({ client, address: ADDRESS, requestTimeoutMs: 1000, ...change, ...more })
  onTestFinished(async () => {
    if (port === server.port) await client.flushall()
    client.disconnect()
  })
  return { client, open }
}

/** Restores the first messages, as a backup of the server does. */
async function truncate(client: Redis, sequence: number): Promise<void> {
  if (sequence === 0) return void (await client.flushall())
  const { length } = await client.xrange(NAME, '-', '+')
  const rows = await client.xrange(NAME, '-', `${sequence}-0`)
  expect(length).toBeGreaterThanOrEqual(rows.length)
  await client.del(NAME)
  for (const [id, fields] of rows) await client.xadd(NAME, id, ...fields)
  await client.hset(`{${NAME}}:state`, { sequence, token: 'restored' })
}

describe.skipIf(skip)(`a Redis sink${note}`, REAL_SERVERS, () => {
  contractSuite({
    async open() {
      const client = connect(server.port)
      await client.flushall()
      return {
        openSink: () =>
          createRedisSink({
            client,
            address: ADDRESS,
            requestTimeoutMs: 1000,
            maxMessageBytes: 2 * 1024 * 1024,
          }),
        truncate: (sequence) => truncate(client, sequence),
        restart: () => server.restart(),
        oversizedBytes: 2 * 1024 * 1024,
        async close() {
          await client.flushall()
          client.disconnect()
        },
      }
    },
  })

  test('writes with node-redis what ioredis reads, as fields that every client reads', async () => {
    const { client, open } = setUp()
    const other = createClient({ url: server.url })
    await other.connect()
    onTestFinished(() => other.destroy())
    await using sink = createRedisSink({ client: other, address: ADDRESS, cloudEvents: true })
    await sink.tail(ALL)
    await sink.publish(entries(1, 3))
    await using reader = open()
    expect(keys((await reader.tail(ALL)).entries)).toEqual(keys(entries(1, 3)))
    const [first] = await client.xrange(NAME, '-', '+', 'COUNT', 1)
    expect(first?.[0]).toBe('1-0')
    const fields = Object.fromEntries(
      Array.from({ length: 5 }, (_, at) => [first?.[1][2 * at], first?.[1][2 * at + 1]]),
    )
    expect(fields).toMatchObject({ subject: entry(1).subject, key: entry(1).key, body: entry(1).body })
    expect(JSON.parse(fields.headers ?? '')).toMatchObject({ 'ce-id': entry(1).key })
  })

  test('deletes the oldest messages beyond the number and the age of its retention', async () => {
    const { client, open } = setUp({ retention: { maxMessages: 1000, maxAgeMs: 60_000 } })
    await using sink = open()
    expect((await sink.tail(ALL)).retention).toEqual({ maxMessages: 1000, maxAgeMs: 60_000 })
    await sink.publish(entries(1, 3000))
    expect(await client.xlen(NAME)).toBeLessThan(1200)
    const rows = await client.xrange(NAME, '-', '+')
    await client.del(NAME)
    for (const [id, fields] of rows)
      await client.xadd(
        NAME,
        id,
        'at',
        Number(id.split('-')[0]) <= 2990 ? '1' : String(Date.now()),
        ...fields.slice(2),
      )
    await sink.probe?.()
    await sink.probe?.()
    expect(await client.xlen(NAME)).toBe(10)
    expect(await sink.publish([entry(3001)])).toEqual({ sequence: 3001 })
  })

  test('rejects a stream of another program, with the command that moves it away', async () => {
    const { client, open } = setUp()
    await using sink = open()
    const error = {
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { setting: 'stream', command: `redis-cli RENAME ${NAME} ${NAME}:other` },
    }
    await client.xadd(NAME, '*', 'a', 'b')
    await expect(sink.tail(ALL)).rejects.toMatchObject(error)
    await client.rename(NAME, `${NAME}:other`)
    await sink.tail(ALL)
    await sink.publish([entry(1)])
    await client.xadd(NAME, '*', 'a', 'b')
    await expect(sink.publish([entry(2)])).rejects.toMatchObject(error)
    await client.set(NAME, 'text')
    await expect(sink.tail(ALL)).rejects.toMatchObject(error)
  })

  test('rejects an eviction policy that deletes streams, and warns of a server without an append-only file', async () => {
    const other = await startOther(
      '--maxmemory',
      '100mb',
      '--maxmemory-policy',
      'allkeys-lru',
      '--appendonly',
      'no',
    )
    const warnings: RedisSinkWarning[] = []
    const { client, open } = setUp({ onWarning: (warning) => warnings.push(warning) }, other.port)
    await using sink = open()
    await expect(sink.tail(ALL)).rejects.toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { setting: 'maxmemory-policy', command: 'redis-cli CONFIG SET maxmemory-policy noeviction' },
    })
    await client.config('SET', 'maxmemory-policy', 'noeviction')
    await sink.tail(ALL)
    await sink.tail(ALL)
    expect(warnings).toMatchObject([{ setting: 'appendonly', received: 'no' }])
  })

  test('reports a server whose memory is full, and continues when it has more', async () => {
    const other = await startOther('--maxmemory', '3mb')
    const { client, open } = setUp({}, other.port)
    await using sink = open()
    await sink.tail(ALL)
    const publishAll = async () => {
      for (let number = 1; number < 200; number += 1)
        await sink.publish([{ ...entry(number), body: 'x'.repeat(50_000) }])
    }
    await expect(publishAll()).rejects.toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { setting: 'maxmemory', command: 'redis-cli CONFIG SET maxmemory BYTES' },
    })
    await client.config('SET', 'maxmemory', '100mb')
    const { sequence } = await sink.tail({ maxEntries: 0 })
    expect(await sink.publish([entry(201)])).toEqual({ sequence: sequence + 1 })
  })

  test('reports a read-only replica as unavailable', async () => {
    const replica = await startOther('--replicaof', '127.0.0.1', String(server.port))
    const { open } = setUp({}, replica.port)
    await using sink = open()
    await expect(sink.tail(ALL)).rejects.toMatchObject({
      code: 'RELAY_SINK_UNAVAILABLE',
      details: { reason: expect.stringMatching(/read-only replica|LOADING/) },
    })
  })

  test('fails within its time limit while the server hangs, and stores each message once afterwards', async () => {
    const other = await startOther()
    const states: SinkState['state'][] = []
    const { open } = setUp({ requestTimeoutMs: 200, onState: ({ state }) => states.push(state) }, other.port)
    await using sink = open()
    await sink.tail(ALL)
    await sink.publish([entry(1)])
    await other.pause()
    await expect(sink.probe?.()).rejects.toMatchObject({
      code: 'RELAY_SINK_UNAVAILABLE',
      details: { reason: 'no response within 200 ms' },
    })
    const published = sink.publish(entries(2, 50))
    await expect.poll(() => states).toContain('waiting')
    other.resume()
    expect(await published).toEqual({ sequence: 50 })
    expect(keys((await sink.tail(ALL)).entries)).toEqual(keys(entries(1, 50)))
  })

  test('reports a stream as truncated after a failover to a replica that has not all messages', async () => {
    const primary = await startOther()
    const replica = await startOther('--replicaof', '127.0.0.1', String(primary.port))
    const replicaClient = connect(replica.port)
    onTestFinished(() => replicaClient.disconnect())
    await waitUntil(async () => /master_link_status:up/.test(await replicaClient.info('replication')))
    const client = connect(primary.port)
    onTestFinished(() => client.disconnect())
    // The client of the sink follows the failover, as with Sentinel.
    let current: Redis = client
    const following = {
      call: (command: string, ...args: (string | number)[]) => current.call(command, ...args),
    }
    await using sink = createRedisSink({ client: following, address: ADDRESS, requestTimeoutMs: 500 })
    const { streamId } = await sink.tail(ALL)
    await sink.publish(entries(1, 5))
    // The Redis command WAIT covers only the writes of the connection that sends it.
    expect(await client.call('WAIT', '1', '5000')).toBe(1)
    await replica.pause()
    await sink.publish(entries(6, 9))
    await primary.kill()
    replica.resume()
    await replicaClient.call('REPLICAOF', 'NO', 'ONE')
    current = replicaClient
    const lost = await sink.publish([entry(10)]).then(
      () => undefined,
      (error: unknown) => error,
    )
    // The replica may have received some of the messages before it was stopped.
    if (lost !== undefined)
      expect(lost).toMatchObject({ code: 'RELAY_STREAM_TRUNCATED', details: { acknowledged: 9 } })
    const tail = await sink.tail(ALL)
    expect(tail.streamId).toBe(streamId)
    expect(keys(tail.entries)).toEqual(keys(entries(1, tail.sequence)))
    if (lost !== undefined) expect(tail.sequence).toBeLessThan(9)
    await sink.publish([entry(11)])
  })
})
