/** The store on a real server, over node-redis and, in the full run, over ioredis. */
import { createHash } from 'node:crypto'
import type { ChildServer } from '@brokerwire/testing/child-server'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { startRedis } from '@brokerwire/testing/redis'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { type Connection, sharedStoreSuite } from '../test/shared-suite.ts'
import { createRedisStore } from './redis-store.ts'
import * as scripts from './scripts.ts'

/** Sends commands that the store does not send. */
type Send = (...args: string[]) => Promise<unknown>

function connection(
  client: Parameters<typeof createRedisStore>[0]['client'],
  send: Send,
): Omit<Connection, 'close'> {
  return {
    open: async (name, options) => createRedisStore({ client, prefix: `${name}:`, ...options }),
    async dropLease(name, key) {
      await send('DEL', `${name}:lease:${key}`)
    },
    async dump(name) {
      const keys = (await send('KEYS', `${name}:value:*`)) as string[]
      return (await Promise.all(keys.map((key) => send('HGET', key, 'text')))).join()
    },
  }
}

async function connectNodeRedis(port: number): Promise<Connection> {
  const client = createClient({
    socket: { host: '127.0.0.1', port, reconnectStrategy: 20, connectTimeout: 1000 },
  })
  client.on('error', () => {})
  await client.connect()
  return {
    ...connection(client, (...args) => client.sendCommand(args)),
    close: async () => client.destroy(),
  }
}

async function connectIoRedis(port: number): Promise<Connection> {
  const client = new Redis({ host: '127.0.0.1', port, retryStrategy: () => 20, lazyConnect: true })
  client.on('error', () => {})
  await client.connect()
  return {
    ...connection(client, (command = '', ...args) => client.call(command, ...args)),
    close: async () => client.disconnect(),
  }
}

const { skip, note } = needs('redis-server')

let server: ChildServer
beforeAll(async () => {
  if (!skip) server = await startRedis()
}, 60_000)
afterAll(() => server?.close())

const CLIENTS = [
  ['node-redis', connectNodeRedis],
  ['ioredis', connectIoRedis],
] as const

describe.skipIf(skip).each(inject('isFullRun') ? CLIENTS : CLIENTS.slice(0, 1))(
  `redis over %s${note}`,
  REAL_SERVERS,
  (_name, connect) => {
    sharedStoreSuite({ server: () => server, connect, largest: { key: 65_536, text: 16 * 1024 * 1024 } })

    test('sends the scripts again to a server that has forgotten them', async () => {
      const server = await startRedis()
      const own = await connect(server.port)
      onTestFinished(async () => {
        await own.close()
        await server.close()
      })
      const store = await own.open('fresh')
      const plain = new Redis({ host: '127.0.0.1', port: server.port })
      onTestFinished(() => plain.disconnect())
      await store.compareAndSet('key', undefined, 'one')
      await plain.call('SCRIPT', 'FLUSH')
      expect(await store.compareAndSet('key', 'one', 'two')).toBe(true)
      await plain.call('SCRIPT', 'FLUSH')
      expect(await store.get('key')).toBe('two')
      const lock = await store.lock('key')
      await plain.call('SCRIPT', 'FLUSH')
      await lock.release()
      expect(await plain.call('EXISTS', 'fresh:lease:key')).toBe(0)
    })

    test('rejects a stored value that is not UTF-8, and reads a stored U+FFFD', async () => {
      const own = await connect(server.port)
      onTestFinished(() => own.close())
      const store = await own.open('bytes')
      const plain = new Redis({ host: '127.0.0.1', port: server.port })
      onTestFinished(() => plain.disconnect())
      await store.compareAndSet('key', undefined, 'one \ufffd')
      expect(await store.get('key')).toBe('one \ufffd')
      // A sequence of four bytes without the last one has as many bytes as U+FFFD.
      await plain.hset('bytes:value:key', 'text', Buffer.from([0x61, 0xf0, 0x9f, 0x98]))
      await expect(store.get('key')).rejects.toMatchObject({ code: 'STORE_CORRUPT' })
    })
  },
)

test('the digests match the scripts', () => {
  for (const { text, sha } of Object.values(scripts))
    expect(sha).toBe(createHash('sha1').update(text).digest('hex'))
})

describe('every primary of a cluster is checked', () => {
  const server = (appendonly: string) => ({
    sendCommand: async ([command, , name]: readonly string[]): Promise<unknown> =>
      command === 'INFO' ? 'role:master\r\nconnected_slaves:0' : [name, appendonly],
  })
  const masters = [server('yes'), server('yes'), server('no')]
  const never = (): Promise<never> => Promise.reject(new Error('nothing is written'))
  const clients = {
    'node-redis': {
      masters,
      nodeClient: async (master: unknown) => master,
      eval: never,
      evalSha: never,
    },
    ioredis: {
      call: never,
      nodes: () => masters.map(({ sendCommand }) => ({ call: (...args: string[]) => sendCommand(args) })),
    },
  }

  test.each(Object.entries(clients))('over %s', async (_name, client) => {
    await expect(createRedisStore({ client: client as never }).ready()).rejects.toMatchObject({
      code: 'STORE_MISCONFIGURED',
      details: { setting: 'appendonly', received: 'no' },
    })
  })
})

const client = { call: async (): Promise<unknown> => null }

test.each([
  [{}, 'client'],
  [{ client: {} }, 'client'],
  [{ client, prefix: '' }, 'prefix'],
  [{ client, prefix: 'p:value:' }, 'prefix'],
  [{ client, prefix: 'p:lease:x' }, 'prefix'],
  [{ client, prefix: 'p\ud800:' }, 'prefix'],
  [{ client, timeoutMs: 5 }, 'timeoutMs'],
  [{ client, leaseMs: 0.5 }, 'leaseMs'],
  [{ client, requireDurable: 'no' }, 'requireDurable'],
  [{ client, onWarning: 'log' }, 'onWarning'],
  [{ client, clock: {} }, 'clock.now'],
])('names a wrong option: %j', (options, option) => {
  expect(() => createRedisStore(options as never)).toThrow(
    expect.objectContaining({ code: 'STORE_OPTION_INVALID', details: expect.objectContaining({ option }) }),
  )
})
