/**
 * Guarantees of Redis when it is killed or fails over, shown on real servers. Each sentence of the page on Redis that
 * speaks of a failover names a test of this file. The short run kills a server once; the full run has the other failovers.
 */

import { freePort } from '@brokerwire/testing/free-port'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { type RedisServer, type RedisServerOptions, startRedis } from '@brokerwire/testing/redis'
import { startTcpProxy, type TcpProxy } from '@brokerwire/testing/tcp-proxy'
import { pause, waitUntil } from '@brokerwire/testing/wait'
import { Redis } from 'ioredis'
import { createClient, createCluster } from 'redis'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { outcome, untilAvailable } from '../test/shared-suite.ts'
import { createRedisStore, type RedisStoreOptions } from './redis-store.ts'
import type { RedisWarning } from './server-checks.ts'

async function start(options?: RedisServerOptions): Promise<RedisServer> {
  const server = await startRedis(options)
  onTestFinished(() => server.close())
  return server
}

/** A client for commands of the test itself. */
function plain(port: number, options: { username?: string; password?: string } = {}): Redis {
  const client = new Redis({ host: '127.0.0.1', port, retryStrategy: () => 20, ...options })
  client.on('error', () => {})
  onTestFinished(() => client.disconnect())
  return client
}

function open(port: number, options: Partial<RedisStoreOptions> = {}) {
  return createRedisStore({ client: plain(port), timeoutMs: 2000, leaseMs: 1000, ...options })
}

async function info(client: Redis): Promise<string> {
  return String(await client.call('INFO', 'replication'))
}

/** A replica that is connected and up to date. */
async function startReplica(primary: RedisServer, followPort = primary.port): Promise<RedisServer> {
  const replica = await start({ args: ['--replicaof', '127.0.0.1', String(followPort)] })
  const client = plain(replica.port)
  await waitUntil(async () => /master_link_status:up/.test(await info(client)))
  const primaryClient = plain(primary.port)
  await waitUntil(async () => /state=online/.test(await info(primaryClient)))
  return replica
}

/** A replica whose connection to the primary the test can break. */
async function startFarReplica(primary: RedisServer): Promise<{ replica: RedisServer; link: TcpProxy }> {
  const link = await startTcpProxy(primary.port)
  onTestFinished(() => link.close())
  return { link, replica: await startReplica(primary, link.port) }
}

/** Waits until the replica has all writes of the primary. */
async function untilEven(primary: RedisServer): Promise<void> {
  expect(await plain(primary.port).call('WAIT', '1', '5000')).toBe(1)
}

const { skip, note } = needs('redis-server')
const isFullRun = inject('isFullRun')

describe.skipIf(skip)(`the check of a Redis server${note}`, REAL_SERVERS, () => {
  test('rejects a server without an append-only file', async () => {
    const server = await start({ appendOnly: false })
    const store = open(server.port)
    const expected = {
      code: 'STORE_MISCONFIGURED',
      retryable: false,
      message:
        'appendonly must be yes; received no. Change it in redis.conf, or set requireDurable: false if this store may forget what it acknowledged',
      details: { setting: 'appendonly', expected: 'yes', received: 'no' },
    }
    await expect(store.ready()).rejects.toMatchObject(expected)
    await expect(store.compareAndSet('key', undefined, 'one')).rejects.toMatchObject(expected)
    await expect(store.get('key')).rejects.toMatchObject(expected)
    await expect(store.lock('key')).rejects.toMatchObject(expected)
    expect(await plain(server.port).call('DBSIZE')).toBe(0)
  })

  test('rejects a server with a replica that it does not wait for', async () => {
    const primary = await start()
    await startReplica(primary)
    await expect(open(primary.port).ready()).rejects.toMatchObject({
      code: 'STORE_MISCONFIGURED',
      details: { setting: 'min-replicas-to-write', expected: 'at least 1', received: '0' },
    })
    const client = plain(primary.port)
    await client.call('CONFIG', 'SET', 'min-replicas-to-write', '1')
    await expect(open(primary.port).ready()).rejects.toMatchObject({
      code: 'STORE_MISCONFIGURED',
      details: { setting: 'min-replicas-max-lag', expected: '1', received: '10' },
    })
    await client.call('CONFIG', 'SET', 'min-replicas-max-lag', '1')
    await untilAvailable(() => open(primary.port).ready())
  })

  test('rejects a server that never waits for the disk', async () => {
    const server = await start({ args: ['--appendfsync', 'no'] })
    const details = { setting: 'appendfsync', expected: 'always or everysec', received: 'no' }
    await expect(open(server.port).ready()).rejects.toMatchObject({ code: 'STORE_MISCONFIGURED', details })
    const warnings: RedisWarning[] = []
    await open(server.port, {
      requireDurable: false,
      onWarning: (warning) => warnings.push(warning),
    }).ready()
    expect(warnings).toEqual([details])
  })

  test('rejects a cache, which deletes keys when its memory is full', async () => {
    const server = await start({ args: ['--maxmemory', '64mb', '--maxmemory-policy', 'volatile-lru'] })
    const expected = { setting: 'maxmemory-policy', expected: 'noeviction', received: 'volatile-lru' }
    await expect(open(server.port).ready()).rejects.toMatchObject({
      code: 'STORE_MISCONFIGURED',
      details: expected,
    })
    // If CONFIG is forbidden, INFO has the setting.
    await plain(server.port).call('ACL', 'SETUSER', 'app', 'on', '>p', '~*', '+@all', '-config')
    const client = plain(server.port, { username: 'app', password: 'p' })
    await expect(open(server.port, { client }).ready()).rejects.toMatchObject({ details: expected })
    // Without a memory limit nothing is deleted. With noeviction, a full server rejects writes.
    const admin = plain(server.port)
    await admin.call('CONFIG', 'SET', 'maxmemory', '0')
    await open(server.port).ready()
    await admin.call('CONFIG', 'SET', 'maxmemory', '1', 'maxmemory-policy', 'noeviction')
    const store = open(server.port)
    await store.ready()
    await expect(store.compareAndSet('key', undefined, 'one')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      details: { reason: 'OOM' },
    })
  })

  test('accepts such a server with a warning if requireDurable is false', async () => {
    const server = await start({ appendOnly: false })
    const warnings: RedisWarning[] = []
    const store = open(server.port, { requireDurable: false, onWarning: (warning) => warnings.push(warning) })
    expect(await store.compareAndSet('key', undefined, 'one')).toBe(true)
    await store.ready()
    expect(warnings).toEqual([{ setting: 'appendonly', expected: 'yes', received: 'no' }])
  })

  test('warns if CONFIG is forbidden, on the console by default', async () => {
    const server = await start()
    await plain(server.port).call('ACL', 'SETUSER', 'app', 'on', '>p', '~*', '+@all', '-config', '-info')
    const client = plain(server.port, { username: 'app', password: 'p' })
    const warnings: RedisWarning[] = []
    const store = open(server.port, { client, onWarning: (warning) => warnings.push(warning) })
    expect(await store.compareAndSet('key', undefined, 'one')).toBe(true)
    expect(warnings.map(({ setting, received }) => [setting, received])).toEqual([
      ['appendonly', 'unknown'],
      ['min-replicas-to-write', 'unknown'],
    ])
    const lines: string[] = []
    const spy = vi.spyOn(console, 'warn').mockImplementation((line: string) => void lines.push(line))
    await open(server.port, { client }).ready()
    spy.mockRestore()
    expect(lines[0]).toBe('@brokerwire/stores/redis: appendonly must be yes; received unknown')
  })

  test('reports a replica as unavailable until it is promoted', async () => {
    const primary = await start()
    const replica = await startReplica(primary)
    const store = open(replica.port)
    expect(await outcome(store.ready())).toBe('STORE_UNAVAILABLE')
    await plain(replica.port).call('REPLICAOF', 'NO', 'ONE')
    await untilAvailable(() => store.compareAndSet('key', undefined, 'one'))
  })

  test('reports a wrong password as a permanent error without showing it', async () => {
    const server = await start({ args: ['--requirepass', 'right'] })
    const client = new Redis({ host: '127.0.0.1', port: server.port, password: 'hunter2', lazyConnect: true })
    client.on('error', () => {})
    onTestFinished(() => client.disconnect())
    await client.connect().catch(() => {})
    const error = await open(server.port, { client })
      .ready()
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'STORE_IO', retryable: false, details: { reason: 'WRONGPASS' } })
    expect(JSON.stringify(error)).not.toContain('hunter2')
  })
})

describe.skipIf(skip)(`a Redis server that fails over${note}`, REAL_SERVERS, () => {
  test.runIf(isFullRun)('without an append-only file a kill silently loses everything', async () => {
    const server = await start({ appendOnly: false })
    const options = { requireDurable: false, onWarning: () => {} }
    const store = open(server.port, options)
    await store.compareAndSet('token', undefined, 'paid for with a second factor')
    await server.kill()
    await server.restart()
    expect(await untilAvailable(() => store.get('token'))).toBeUndefined()
    expect(await store.compareAndSet('token', undefined, 'another')).toBe(true)
  })

  test('with an append-only file acknowledged writes survive ten kills', async () => {
    const server = await start()
    const store = open(server.port)
    for (let round = 0; round < (isFullRun ? 10 : 1); round += 1) {
      const before = await untilAvailable(() => store.get('count'))
      expect(before).toBe(round === 0 ? undefined : String(round))
      expect(await store.compareAndSet('count', before, String(round + 1))).toBe(true)
      await server.kill()
      await server.restart()
    }
  })

  test.runIf(isFullRun)(
    'a promoted asynchronous replica grants a lock twice and returns an older token',
    async () => {
      const primary = await start()
      const { replica, link } = await startFarReplica(primary)
      const options = { requireDurable: false, onWarning: () => {}, leaseMs: 60_000 }
      const store = open(primary.port, options)
      await store.compareAndSet('token', undefined, 'first')
      await untilEven(primary)
      link.mode = 'hold'
      // This write is acknowledged and not replicated.
      expect(await store.compareAndSet('token', 'first', 'renewed')).toBe(true)
      const held = await store.lock('token')
      await primary.kill()
      link.cut()
      await plain(replica.port).call('REPLICAOF', 'NO', 'ONE')
      const promoted = open(replica.port, options)
      expect(await untilAvailable(() => promoted.get('token'))).toBe('first')
      const second = await promoted.lock('token')
      expect(held.lost?.aborted).toBe(false)
      expect(second.lost?.aborted).toBe(false)
    },
  )

  test.runIf(isFullRun)(
    'with min-replicas-to-write 1 writes are rejected when the replica is missing for longer than the lag',
    async () => {
      const primary = await start({ args: ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '1'] })
      const { replica, link } = await startFarReplica(primary)
      const store = open(primary.port)
      await untilAvailable(() => store.compareAndSet('token', undefined, 'first'))
      await untilEven(primary)
      link.mode = 'hold'
      // Writes are accepted until the primary notices the lag.
      let acknowledged = 0
      let last = 'first'
      for (;;) {
        const next = `renewed ${acknowledged}`
        const result = await outcome(store.compareAndSet('token', last, next))
        if (result === 'STORE_UNAVAILABLE') break
        expect(result).toBe(true)
        last = next
        acknowledged += 1
        await pause()
      }
      expect(acknowledged).toBeGreaterThan(0)
      await expect(store.compareAndSet('token', last, 'never')).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        retryable: true,
        details: { reason: 'NOREPLICAS' },
      })
      expect(await outcome(store.lock('token'))).toBe('STORE_UNAVAILABLE')
      await primary.kill()
      link.cut()
      await plain(replica.port).call('REPLICAOF', 'NO', 'ONE')
      await plain(replica.port).call('CONFIG', 'SET', 'min-replicas-to-write', '0')
      // Writes within the window are lost: the window is shorter, but still exists.
      expect(await untilAvailable(() => open(replica.port).get('token'))).toBe('first')
    },
  )

  test.runIf(isFullRun)('a lock outlives a kill of the server, and its holder keeps it', async () => {
    const server = await start()
    const store = open(server.port, { leaseMs: 4000 })
    const lock = await store.lock('job')
    await server.kill()
    await server.restart()
    await untilAvailable(() => store.get('job'))
    const client = plain(server.port)
    expect(await client.call('EXISTS', 'brokerwire:lease:job')).toBe(1)
    expect(lock.lost?.aborted).toBe(false)
    await untilAvailable(() => lock.release())
    expect(await client.call('EXISTS', 'brokerwire:lease:job')).toBe(0)
  })
})

describe.skipIf(skip)(`a client that sends a write twice${note}`, REAL_SERVERS, () => {
  test('reports success and writes once if ioredis sends a request without a response again', async () => {
    const server = await start()
    const proxy = await startTcpProxy(server.port)
    onTestFinished(() => proxy.close())
    const store = open(proxy.port)
    await store.compareAndSet('key', undefined, 'one')
    const client = plain(server.port)
    // The server executes it, and its connection is gone before the response.
    proxy.delayMs = 3_600_000
    const writing = store.compareAndSet('key', 'one', 'two')
    await waitUntil(async () => (await client.call('HGET', 'brokerwire:value:key', 'text')) === 'two')
    proxy.delayMs = 0
    proxy.cut()
    expect(await writing).toBe(true)
    expect(await store.get('key')).toBe('two')
  })

  test.each([
    ['replaced', 'old', 'mine', 'mine', 'old'],
    ['created', undefined, 'mine', 'mine', undefined],
    ['deleted', 'old', undefined, undefined, 'old'],
  ])(
    'a write that it %s, and that another writer reverted meanwhile, is not repeated',
    async (_, from, to, seen, back) => {
      const server = await start()
      const proxy = await startTcpProxy(server.port)
      onTestFinished(() => proxy.close())
      const store = open(proxy.port)
      const other = open(server.port)
      // The server knows the script, and the store has checked the server.
      await other.compareAndSet('another', undefined, 'text')
      if (from !== undefined) await other.compareAndSet('key', undefined, from)
      await store.get('key')
      proxy.delayMs = 3_600_000
      const writing = store.compareAndSet('key', from, to)
      await waitUntil(async () => (await other.get('key')) === seen)
      expect(await other.compareAndSet('key', seen, back)).toBe(true)
      proxy.delayMs = 0
      proxy.cut()
      // It was written once, and the later write of the other writer is kept.
      expect(await writing).toBe(true)
      expect(await other.get('key')).toBe(back)
    },
  )

  test('repeats neither of two writes, and reports the outcome of the first one as unknown', async () => {
    const server = await start()
    const proxy = await startTcpProxy(server.port)
    onTestFinished(() => proxy.close())
    const store = open(proxy.port)
    const other = open(server.port)
    await store.compareAndSet('key', undefined, 'one')
    proxy.delayMs = 3_600_000
    const writing = [store.compareAndSet('key', 'one', 'two'), store.compareAndSet('key', 'two', 'three')]
    await waitUntil(async () => (await other.get('key')) === 'three')
    expect(await other.compareAndSet('key', 'three', 'one')).toBe(true)
    proxy.delayMs = 0
    proxy.cut()
    expect(await Promise.all(writing.map(outcome))).toEqual(['STORE_UNAVAILABLE', true])
    expect(await other.get('key')).toBe('one')
  })

  test('is remembered for ten minutes after its last write', async () => {
    const server = await start()
    const client = plain(server.port)
    await open(server.port).compareAndSet('key', undefined, 'one')
    const name = 'brokerwire:value:key'
    const past = Math.floor(Date.now() / 1000) - 3600
    const writes = `${await client.call('HGET', name, 'writes')}${'a'.repeat(32)} 7 ${past};`
    await client.call('HSET', name, 'writes', writes)
    await open(server.port).compareAndSet('key', 'one', 'two')
    const kept = String(await client.call('HGET', name, 'writes'))
    expect(kept.split(';')).toHaveLength(3)
    expect(kept).not.toContain('aaaa')
    // The number of remembered writers is bounded.
    const now = Math.floor(Date.now() / 1000)
    const many = Array.from({ length: 5000 }, (_, at) => `${at.toString(16).padStart(32, '0')} 1 ${now};`)
    await client.call('HSET', name, 'writes', many.join(''))
    expect(await open(server.port).compareAndSet('key', 'two', 'three')).toBe(true)
    expect(Number(await client.call('HSTRLEN', name, 'writes'))).toBeLessThanOrEqual(65_536)
  })

  test('writes nothing with the second copy of a write, even if the value was deleted', async () => {
    const server = await start()
    const client = plain(server.port)
    const sent: unknown[][] = []
    const twice = {
      async call(command: string, ...args: (string | number)[]): Promise<unknown> {
        if (command === 'EVALSHA' && args[1] === 1 && args.length > 4) {
          sent.push(args)
          await client.call(command, ...args).catch(() => {})
        }
        return client.call(command, ...args)
      },
    }
    const store = open(server.port, { client: twice })
    expect(await store.compareAndSet('key', undefined, 'one')).toBe(true)
    expect(await store.compareAndSet('key', 'one', 'two')).toBe(true)
    expect(await store.compareAndSet('key', 'one', 'three')).toBe(false)
    expect(await store.compareAndSet('key', 'two', undefined)).toBe(true)
    expect(await store.get('key')).toBeUndefined()
    // Ten minutes, less the time that a busy machine needs.
    const leftMs = Number(await client.call('PTTL', 'brokerwire:value:key'))
    expect(leftMs).toBeGreaterThan(480_000)
    expect(leftMs).toBeLessThanOrEqual(600_000)
    expect(await store.compareAndSet('key', undefined, 'again')).toBe(true)
    expect(await client.call('PTTL', 'brokerwire:value:key')).toBe(-1)
    expect(sent.length).toBeGreaterThan(4)
  })
})

describe.skipIf(skip || !isFullRun)(`a cluster of three${note}`, REAL_SERVERS, () => {
  test('stores each key on its node, and checks all nodes, with both clients', async () => {
    const nodes = await Promise.all(
      [0, 1, 2].map(async () => {
        const bus = await freePort()
        return start({ args: ['--cluster-enabled', 'yes', '--cluster-port', String(bus)] })
      }),
    )
    const clients = nodes.map(({ port }) => plain(port))
    const [first] = clients
    await Promise.all(
      clients.map((client, at) => {
        const from = Math.ceil((16_384 / 3) * at)
        return client.call('CLUSTER', 'ADDSLOTSRANGE', from, Math.ceil((16_384 / 3) * (at + 1)) - 1)
      }),
    )
    for (const [at, { port }] of nodes.entries()) {
      const bus =
        String(await clients[at]?.call('CONFIG', 'GET', 'cluster-port'))
          .split(',')
          .at(-1) ?? ''
      if (at > 0) await first?.call('CLUSTER', 'MEET', '127.0.0.1', port, bus)
    }
    for (const client of clients)
      await waitUntil(async () =>
        /cluster_state:ok[\s\S]*cluster_known_nodes:3/.test(String(await client.call('CLUSTER', 'INFO'))),
      )

    const nodeRedis = createCluster({ rootNodes: nodes.map(({ url }) => ({ url })) })
    nodeRedis.on('error', () => {})
    await nodeRedis.connect()
    onTestFinished(() => nodeRedis.destroy())
    const ioRedis = new Redis.Cluster(nodes.map(({ port }) => ({ host: '127.0.0.1', port })))
    onTestFinished(() => ioRedis.disconnect())

    const one = createRedisStore({ client: nodeRedis })
    const other = createRedisStore({ client: ioRedis })
    const keys = Array.from({ length: 30 }, (_, at) => `key ${at}`)
    for (const key of keys) {
      expect(await one.compareAndSet(key, undefined, `of ${key}`)).toBe(true)
      expect(await other.get(key)).toBe(`of ${key}`)
      expect(await other.compareAndSet(key, `of ${key}`, 'next')).toBe(true)
      const lock = await one.lock(key)
      await lock.release()
    }
    for (const client of clients) expect(await client.call('DBSIZE')).toBeGreaterThan(0)
    await clients[2]?.call('CONFIG', 'SET', 'appendonly', 'no')
    for (const store of [one, other]) expect(await outcome(store.ready())).toBe('STORE_MISCONFIGURED')
  })
})

describe.skipIf(skip)(`other programs in the same Redis${note}`, REAL_SERVERS, () => {
  test('keep their hash under a key: it is reported as corrupt, and not changed', async () => {
    const server = await start()
    const client = plain(server.port)
    await client.call('HSET', 'brokerwire:value:key', 'theirs', 'kept')
    const store = open(server.port)
    const refusal = { code: 'STORE_IO', retryable: false, details: { reason: 'WRONGTYPE' } }
    await expect(store.get('key')).rejects.toMatchObject(refusal)
    await expect(store.compareAndSet('key', undefined, 'ours')).rejects.toMatchObject(refusal)
    await expect(store.compareAndSet('key', undefined, undefined)).rejects.toMatchObject(refusal)
    expect(await client.call('HGETALL', 'brokerwire:value:key')).toEqual(['theirs', 'kept'])
  })

  test('may use a client that returns numbers as strings', async () => {
    const server = await start()
    const client = new Redis({ host: '127.0.0.1', port: server.port, stringNumbers: true })
    onTestFinished(() => client.disconnect())
    const store = open(server.port, { client })
    expect(await store.compareAndSet('key', undefined, 'one')).toBe(true)
    expect(await store.compareAndSet('key', undefined, 'two')).toBe(false)
    await (await store.lock('key')).release()
  })
})

describe.skipIf(skip)(`a client without its queue${note}`, REAL_SERVERS, () => {
  test.each(['node-redis', 'ioredis'])('%s reports at once that the server is gone', async (name) => {
    const server = await start()
    const nodeRedis = createClient({
      url: server.url,
      disableOfflineQueue: true,
      socket: { reconnectStrategy: 20 },
    })
    nodeRedis.on('error', () => {})
    const ioRedis = new Redis(server.url, {
      enableOfflineQueue: false,
      retryStrategy: () => 20,
      lazyConnect: true,
    })
    ioRedis.on('error', () => {})
    const client = name === 'ioredis' ? ioRedis : nodeRedis
    await client.connect()
    onTestFinished(() => (name === 'ioredis' ? ioRedis.disconnect() : nodeRedis.destroy()))
    const store = createRedisStore({ client })
    await store.ready()
    await server.kill()
    // A request in flight when the connection broke is reported by the next call at the latest.
    await store.get('key').catch(() => {})
    const error = await store.get('key').catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      details: { reason: expect.not.stringContaining('no answer') },
    })
    await server.restart()
    expect(await untilAvailable(() => store.get('key'))).toBeUndefined()
  })
})
