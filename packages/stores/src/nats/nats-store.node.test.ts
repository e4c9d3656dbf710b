/** The store in a bucket of a real NATS server, and buckets that are rejected on a real cluster. */
import { encodeName } from '@brokerwire/core/internal'
import type { ChildServer } from '@brokerwire/testing/child-server'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { startNats, startNatsCluster } from '@brokerwire/testing/nats'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Connection,
  outcome,
  sharedStoreSuite,
  untilAvailable,
  untilDone,
} from '../test/shared-suite.ts'
import { keepsReplicatedUpdates } from './bucket-checks.ts'
import type { NatsBucketLike } from './client.ts'
import { createNatsStore } from './nats-store.ts'

async function open(port: number, user?: string): Promise<NatsConnection> {
  return connect({
    port,
    ...(user === undefined ? {} : { user, pass: 'p' }),
    reconnectTimeWait: 20,
    maxReconnectAttempts: -1,
    timeout: 1000,
    // The connection treats a server that does not respond to a PING as gone.
    pingInterval: 500,
    maxPingOut: 2,
  })
}

/** Retries while the server or its JetStream is starting. */
function untilStarted<T>(work: () => Promise<T>): Promise<T> {
  return untilDone(work, (error) => /malformed|already in use/.test(String(error)))
}

async function connectNats(port: number): Promise<Connection> {
  const connection = await untilStarted(() => open(port))
  // A request that is sent just before the client notices that the server is gone gets no response. The test sends it
  // again before the time limit of the store.
  const kvm = new Kvm(jetstream(connection, { timeout: 1000 }))
  const bucketOf = (name: string) => untilStarted(() => kvm.create(name))
  return {
    open: async (name, options) => createNatsStore({ bucket: await bucketOf(name), connection, ...options }),
    async dropLease(name, key) {
      await (await bucketOf(name)).delete(`lease.${encodeName(key)}`)
    },
    async dump(name) {
      const bucket = await bucketOf(name)
      const texts: string[] = []
      for await (const key of await bucket.keys()) texts.push((await bucket.get(key))?.string() ?? '')
      return texts.join()
    },
    close: () => connection.close(),
  }
}

const { skip, note } = needs('nats-server')

let server: ChildServer
beforeAll(async () => {
  if (!skip) server = await startNats()
}, 60_000)
afterAll(() => server?.close())

describe.skipIf(skip)(`nats${note}`, REAL_SERVERS, () => {
  sharedStoreSuite({
    server: () => server,
    connect: connectNats,
    // The default size limit of a server's messages is one MiB.
    largest: { key: 3000, text: (1024 - 4) * 1024 },
  })
})

describe.skipIf(skip).concurrent(`a NATS server that is killed${note}`, REAL_SERVERS, () => {
  test('acknowledged writes survive three kills, and a lock continues', async ({ onTestFinished }) => {
    const server = await startNats()
    onTestFinished(() => server.close())
    const connection = await connectNats(server.port)
    onTestFinished(() => connection.close())
    const store = await connection.open('kept', { timeoutMs: 500, leaseMs: 60_000 })
    const lock = await store.lock('job')
    for (let round = 0; round < 3; round += 1) {
      const before = await untilAvailable(() => store.get('count'))
      expect(before).toBe(round === 0 ? undefined : String(round))
      expect(await untilAvailable(() => store.compareAndSet('count', before, String(round + 1)))).toBe(true)
      await server.kill()
      await server.restart()
    }
    const other = await connection.open('kept', { timeoutMs: 1000 })
    const taken = await outcome(other.lock('job', { signal: AbortSignal.timeout(300) }))
    expect((taken as Error).name).toBe('TimeoutError')
    expect(lock.lost?.aborted).toBe(false)
    await lock.release()
    await (await other.lock('job')).release()
  })
})

describe.skipIf(skip).concurrent(`an error of a NATS server${note}`, REAL_SERVERS, () => {
  test('is permanent and reported at once for a missing permission', async ({ onTestFinished }) => {
    const server = await startNats(`authorization { users = [
      { user: all, password: p }
      { user: reader, password: p, permissions: { publish: { deny: ["$KV.kept.>"] } } }
      { user: nobody, password: p, permissions: { publish: "none", subscribe: ["_INBOX.>"] } }
    ] }`)
    onTestFinished(() => server.close())
    const [all, reader, nobody] = await Promise.all(
      ['all', 'reader', 'nobody'].map(async (user) => {
        const connection = await untilStarted(() => open(server.port, user))
        onTestFinished(() => connection.close())
        return connection
      }),
    )
    if (!all || !reader || !nobody) throw new Error('three connections')
    await untilStarted(() => new Kvm(all).create('kept'))
    const misconfiguredServer = {
      code: 'STORE_IO',
      retryable: false,
      details: { reason: 'PermissionViolationError' },
    }
    const reading = createNatsStore({ bucket: await new Kvm(reader).open('kept'), connection: reader })
    expect(await reading.get('key')).toBeUndefined()
    await expect(reading.compareAndSet('key', undefined, 'one')).rejects.toMatchObject(misconfiguredServer)
    await expect(reading.lock('key')).rejects.toMatchObject(misconfiguredServer)
    const none = createNatsStore({ bucket: await new Kvm(nobody).open('kept'), connection: nobody })
    await expect(none.ready()).rejects.toMatchObject(misconfiguredServer)
    await expect(none.get('key')).rejects.toMatchObject(misconfiguredServer)
  })

  test('is retryable for a full bucket, and permanent for a text that is too long', async ({
    onTestFinished,
  }) => {
    const server = await startNats()
    onTestFinished(() => server.close())
    const connection = await untilStarted(() => open(server.port))
    onTestFinished(() => connection.close())
    const kvm = new Kvm(connection)
    const full = createNatsStore({ bucket: await kvm.create('full', { max_bytes: 2000 }), connection })
    await full.compareAndSet('first', undefined, 'x'.repeat(500))
    const filled = await outcome(
      (async () => {
        for (let count = 0; ; count += 1) await full.compareAndSet(`${count}`, undefined, 'x'.repeat(500))
      })(),
    )
    expect(filled).toBe('STORE_UNAVAILABLE')
    expect(await full.get('first')).toBe('x'.repeat(500))
    const small = createNatsStore({ bucket: await kvm.create('small', { maxValueSize: 100 }), connection })
    await expect(small.compareAndSet('key', undefined, 'x'.repeat(500))).rejects.toMatchObject({
      code: 'STORE_IO',
      retryable: false,
    })
  })
})

describe.skipIf(skip).concurrent(`the check of a bucket${note}`, REAL_SERVERS, () => {
  test('rejects a missing bucket, and one in memory or with a time to live unless requireDurable is false', async ({
    onTestFinished,
  }) => {
    const server = await startNats()
    onTestFinished(() => server.close())
    const connection = await open(server.port)
    onTestFinished(() => connection.close())
    const kvm = new Kvm(connection)
    const inMemory = await kvm.create('in_memory', { storage: 'memory' as never })
    const short = await kvm.create('short', { ttl: 60_000 })
    const gone = await kvm.create('gone')
    await (await jetstreamManager(connection)).streams.delete('KV_gone')
    for (const [bucket, setting] of [
      [inMemory, 'storage'],
      [short, 'ttl'],
      [gone, 'bucket'],
    ] as const) {
      const store = createNatsStore({ bucket, connection })
      await expect(store.compareAndSet('key', undefined, 'one')).rejects.toMatchObject({
        code: 'STORE_MISCONFIGURED',
        details: { setting },
      })
    }
    const warnedSettings: unknown[] = []
    const store = createNatsStore({
      bucket: inMemory,
      connection,
      requireDurable: false,
      onWarning: (warning) => warnedSettings.push(warning),
    })
    await store.compareAndSet('key', undefined, 'one')
    await store.ready()
    expect(warnedSettings).toEqual([{ setting: 'storage', expected: 'file', received: 'memory' }])
  })

  test('rejects a bucket that discards old entries or was sealed', async ({ onTestFinished }) => {
    const server = await startNats()
    onTestFinished(() => server.close())
    const connection = await untilStarted(() => open(server.port))
    onTestFinished(() => connection.close())
    const { streams } = await jetstreamManager(connection)
    const kvm = new Kvm(connection)
    const configOf = async (name: string) => (await streams.info(`KV_${name}`)).config
    for (const limit of [{ max_bytes: 4000 }, { max_msgs: 3 }]) {
      const name = `drops_${Object.keys(limit)}`
      const bucket = await untilStarted(() => kvm.create(name))
      await streams.update(`KV_${name}`, { ...(await configOf(name)), ...limit, discard: 'old' as never })
      const store = createNatsStore({ bucket, connection })
      const details = { setting: 'discard', received: 'old' }
      await expect(store.compareAndSet('key', undefined, 'one')).rejects.toMatchObject({
        code: 'STORE_MISCONFIGURED',
        details,
      })
      const warnedSettings: unknown[] = []
      const onWarning = (warning: unknown) => warnedSettings.push(warning)
      const lenient = createNatsStore({ bucket, connection, requireDurable: false, onWarning })
      await lenient.ready()
      expect(warnedSettings).toEqual([expect.objectContaining(details)])
    }
    const bucket = await kvm.create('shut')
    const store = createNatsStore({ bucket, connection })
    await store.compareAndSet('key', undefined, 'one')
    const sealed = { ...(await configOf('shut')), sealed: true }
    await streams.update('KV_shut', sealed)
    await expect(store.compareAndSet('key', 'one', 'two')).rejects.toMatchObject({
      code: 'STORE_IO',
      retryable: false,
    })
    await expect(store.ready()).rejects.toMatchObject({
      code: 'STORE_MISCONFIGURED',
      details: { setting: 'sealed' },
    })
  })

  test('rejects three replicas on a server up to 2.9.20, whose compare-and-set loses updates', async ({
    onTestFinished,
  }) => {
    const cluster = await startNatsCluster()
    onTestFinished(() => cluster.close())
    const connection = await open(cluster.servers[0]?.port ?? 0)
    onTestFinished(() => connection.close())
    // A cluster has no leader at first, and does not respond until then.
    const kvm = new Kvm(jetstream(connection, { timeout: 1000 }))
    const bucket = await untilStarted(() => kvm.create('replicated', { replicas: 3 }))
    const version = connection.info?.version ?? ''
    const store = createNatsStore({ bucket, connection })
    if (keepsReplicatedUpdates(version))
      return expect(await outcome(store.ready())).toBe('STORE_MISCONFIGURED')
    const error = await untilAvailable(() => store.ready().catch((reason: unknown) => reason as Error))
    expect(error).toMatchObject({
      code: 'STORE_MISCONFIGURED',
      details: { setting: 'replicas', received: `3 on ${version}` },
    })
    expect((error as Error).message).toContain('later than 2.9.20')
    const single = await untilStarted(() => kvm.create('single', { replicas: 1 }))
    await untilAvailable(() => createNatsStore({ bucket: single, connection }).ready())
  })
})

const idle: NatsBucketLike = {
  get: async () => null,
  create: async () => 1,
  update: async () => 1,
  delete: async () => {},
  status: async () => ({
    replicas: 3,
    ttl: 0,
    storage: 'file',
    streamInfo: { config: { allow_direct: true } },
  }),
}

test('rejects direct reads, to which an outdated replica may respond, on later servers too', async () => {
  const connection = { info: { version: '2.11.4', max_payload: 1_048_576 } }
  await expect(createNatsStore({ bucket: idle, connection }).ready()).rejects.toMatchObject({
    code: 'STORE_MISCONFIGURED',
    details: { setting: 'allow_direct' },
  })
  await expect(createNatsStore({ bucket: idle, connection: {} }).ready()).rejects.toMatchObject({
    details: { setting: 'replicas', received: '3 on unknown' },
  })
})

test.each([
  ['2.9.10', false],
  ['2.9.20', false],
  ['v2.9.20', false],
  ['2.8.99', false],
  ['1.99.99', false],
  ['2.9.21', true],
  ['2.10.0', true],
  ['2.11.0-RC.1', true],
  ['3.0.0', true],
  ['', false],
  ['unknown', false],
])('version %s keeps the updates of a bucket with replicas: %s', (version, isKept) => {
  expect(keepsReplicatedUpdates(version)).toBe(isKept)
})

test('rejects a key or a text that the server would reject, before it is sent', async () => {
  const store = createNatsStore({
    bucket: idle,
    connection: { info: { version: '2.11.4', max_payload: 10_000 } },
  })
  expect(await outcome(store.get('.'.repeat(1001)))).toBe('STORE_OPTION_INVALID')
  expect(await outcome(store.compareAndSet('key', undefined, 'x'.repeat(6000)))).toBe('STORE_OPTION_INVALID')
})

test.each([
  [{}, 'bucket'],
  [{ bucket: {}, connection: {} }, 'bucket.get'],
  [{ bucket: idle }, 'connection'],
  [{ bucket: idle, connection: {}, requireDurable: 1 }, 'requireDurable'],
  [{ bucket: idle, connection: {}, leaseMs: '5' }, 'leaseMs'],
])('names a wrong option: %j', (options, option) => {
  expect(() => createNatsStore(options as never)).toThrow(
    expect.objectContaining({ code: 'STORE_OPTION_INVALID', details: expect.objectContaining({ option }) }),
  )
})
