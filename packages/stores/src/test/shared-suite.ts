/**
 * The tests of every store on a real server: the contract, a server that hangs, is killed and restarted, a network
 * that breaks, pauses, delays and half-closes connections, and the encrypted store over it.
 */
import { randomBytes } from 'node:crypto'
import type { Store, StoreLock } from '@brokerwire/core'
import { addAbortListener } from '@brokerwire/core/internal'
import type { ChildServer } from '@brokerwire/testing/child-server'
import { startTcpProxy, type TcpProxy } from '@brokerwire/testing/tcp-proxy'
import { pause } from '@brokerwire/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAesGcmCipher, createEncryptedStore, isStoresError } from '../index.ts'
import type { SharedStore, SharedStoreOptions } from '../shared/shared-store.ts'
import { storeContract } from '../testing/index.ts'

/** A connection of one client. */
export interface Connection {
  /** Opens a store on the storage of this name, which is created if it does not exist. */
  open(name: string, options?: SharedStoreOptions): Promise<SharedStore>
  /** Removes the lease of a key, as if it had expired. */
  dropLease(name: string, key: string): Promise<void>
  /** Returns everything that is stored under the name, as a person who reads the disk sees it. */
  dump(name: string): Promise<string>
  close(): Promise<void>
}

/** The differences between the stores. */
export interface SharedSuite {
  /** The server of the test file. Tests kill and restart it. */
  readonly server: () => ChildServer
  /** Connects a client. Resolves when it is connected. */
  readonly connect: (port: number) => Promise<Connection>
  /** The documented limits of the store, in bytes. */
  readonly largest: { readonly key: number; readonly text: number }
}

/** Short for the tests of a hung server, and far longer than any response of a live server takes. */
const TIMEOUT_MS = 800
/** A lost lock is reported after a third of the lease. Long enough that a busy machine loses no lock. */
const CONTRACT_LEASE_MS = 3000
const SECRET = 'secret-of-the-token'

let names = 0
/** Returns a name of storage that no other case uses. */
function freshName(): string {
  names += 1
  return `case_${process.pid}_${names}`
}

/**
 * Retries until it succeeds.
 *
 * @param isFinal - Whether an error is permanent.
 */
export async function untilDone<T>(work: () => Promise<T>, isFinal: (error: unknown) => boolean): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (isFinal(error)) throw error
    }
    // A client that is not connected rejects at once. It can only connect again in a turn of the event loop.
    await pause()
  }
}

/** Retries until the client is connected to the server again. */
export function untilAvailable<T>(work: () => Promise<T>): Promise<T> {
  return untilDone(work, (error) => {
    if (!isStoresError(error, 'STORE_UNAVAILABLE')) return true
    expect(error.retryable).toBe(true)
    return false
  })
}

/** The outcome of a call: its value, or the code of its error. No error may contain a stored value. */
export async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call
  } catch (error) {
    const shown = JSON.stringify(error) + String(error) + String((error as Error).stack)
    expect(shown).not.toContain(SECRET)
    return isStoresError(error) ? error.code : error
  }
}

/** Resolves when the lock is lost. */
const lossOf = ({ lost }: StoreLock): Promise<void> =>
  new Promise((resolve) => {
    if (lost) addAbortListener(lost, () => resolve())
  })

/** The signals of locks, so that the loss of one can be awaited. */
function remembering(store: SharedStore): { store: Store; lost(): Promise<unknown> } {
  let waiting: Promise<unknown> = Promise.resolve()
  return {
    store: {
      ...store,
      async lock(key, options) {
        const lock = await store.lock(key, options)
        waiting = lossOf(lock)
        return lock
      },
    },
    lost: () => waiting,
  }
}

export function sharedStoreSuite(suite: SharedSuite): void {
  let server: ChildServer
  let one: Connection
  let other: Connection

  beforeAll(async () => {
    server = suite.server()
    one = await suite.connect(server.port)
    other = await suite.connect(server.port)
  }, 60_000)
  afterAll(async () => {
    await one?.close()
    await other?.close()
  }, 60_000)

  // These tests wait for the server or for a lease, each with its own storage.
  describe.concurrent('the contract', () => {
    const open = async () => {
      const name = freshName()
      const first = remembering(await one.open(name, { leaseMs: CONTRACT_LEASE_MS }))
      return {
        first: first.store,
        second: await other.open(name, { leaseMs: CONTRACT_LEASE_MS }),
        async loseLock(key: string) {
          await other.dropLease(name, key)
          await first.lost()
        },
      }
    }
    for (const { name, run } of storeContract({ open })) test(name, run)
  })

  describe.concurrent('the contract, of the encrypted store over it', () => {
    const cipher = createAesGcmCipher({ keys: [{ id: 'first', key: randomBytes(32).toString('base64') }] })
    const open = async () => {
      const name = freshName()
      return {
        first: createEncryptedStore({ store: await one.open(name), cipher }),
        second: createEncryptedStore({ store: await other.open(name), cipher }),
      }
    }
    for (const { name, run } of storeContract({ open, lock: false })) test(name, run)

    test('nothing readable is stored', async () => {
      const name = freshName()
      const inner = await one.open(name)
      const store = createEncryptedStore({ store: inner, cipher })
      await store.compareAndSet('key', undefined, SECRET)
      expect(await one.dump(name)).not.toContain(SECRET)
      await inner.compareAndSet('plain', undefined, SECRET)
      expect(await one.dump(name)).toContain(SECRET)
    })
  })

  describe.concurrent('behind a network that fails', () => {
    const trouble: readonly (readonly [string, (proxy: TcpProxy) => void])[] = [
      ['cuts off', (proxy) => proxy.cut()],
      ['half-closes', (proxy) => proxy.halfClose()],
      [
        'delays',
        (proxy) => {
          proxy.delayMs = 30
        },
      ],
      [
        'holds everything',
        (proxy) => {
          proxy.mode = 'hold'
        },
      ],
    ]
    test.each(trouble)('that %s: no update is lost, and none is made twice', async (_name, strike) => {
      const proxy = await startTcpProxy(server.port)
      const connection = await suite.connect(proxy.port)
      const name = freshName()
      const store = await connection.open(name, { timeoutMs: TIMEOUT_MS })
      let written = 0
      let unknown = 0
      let overtaken = 0
      const rounds = 12
      for (let round = 0; round < rounds; round += 1) {
        const before = await untilAvailable(() => store.get('count'))
        const writing = outcome(store.compareAndSet('count', before, `${Number(before ?? 0) + 1}`))
        if (round === rounds / 2) strike(proxy)
        const result = await writing
        if (result === true) written += 1
        // A write with an unknown outcome may be executed after the next one was sent.
        else if (result === false) overtaken += 1
        else {
          expect(result).toBe('STORE_UNAVAILABLE')
          unknown += 1
        }
        proxy.mode = 'open'
      }
      const count = Number(await untilAvailable(() => store.get('count')))
      expect(count).toBeGreaterThanOrEqual(written)
      expect(count).toBeLessThanOrEqual(written + unknown)
      expect(overtaken).toBeLessThanOrEqual(unknown)
      expect(written).toBeGreaterThan(rounds / 2)
      await connection.close()
      await proxy.close()
    })

    test('a lock whose holder is cut off is reported as lost before another holder can acquire it', async () => {
      const proxy = await startTcpProxy(server.port)
      const connection = await suite.connect(proxy.port)
      const name = freshName()
      const holder = await connection.open(name, { timeoutMs: TIMEOUT_MS, leaseMs: 1000 })
      const next = await other.open(name, { leaseMs: 1000 })
      const lock = await holder.lock('job')
      const order: string[] = []
      const lost = lossOf(lock).then(() => order.push('lost'))
      proxy.mode = 'hold'
      const taken = await next.lock('job')
      order.push('taken')
      await lost
      expect(order).toEqual(['lost', 'taken'])
      expect(lock.lost?.aborted).toBe(true)
      expect(isStoresError(lock.lost?.reason, 'STORE_LOCK_LOST')).toBe(true)
      // A release that arrives late does not release the lock of the next holder.
      proxy.mode = 'open'
      await lock.release().catch(() => {})
      expect(taken.lost?.aborted).toBe(false)
      await taken.release()
      await connection.close()
      await proxy.close()
    })
  })

  test('the largest key and the largest text come back; one byte more is refused before it is sent', async () => {
    const store = await one.open(freshName(), { timeoutMs: 120_000 })
    const { key, text } = suite.largest
    // Random bytes, which cannot be compressed.
    const random = (length: number): string => randomBytes(length).toString('base64url').slice(0, length)
    const [longest, largest] = [random(key), random(text)]
    expect(await store.compareAndSet(longest, undefined, largest)).toBe(true)
    expect((await store.get(longest)) === largest).toBe(true)
    await (await store.lock(longest)).release()
    expect(await outcome(store.get(`${longest}x`))).toBe('STORE_OPTION_INVALID')
    expect(await outcome(store.compareAndSet('key', undefined, `${largest}x`))).toBe('STORE_OPTION_INVALID')
  })

  test('half a character, which would come back as another, is refused before it is sent', async () => {
    const store = await one.open(freshName())
    for (const call of [
      store.get('\ud800'),
      store.compareAndSet('key', undefined, 'a\udc00'),
      store.compareAndSet('key', '\ud800x', 'next'),
      store.lock('\ud800'),
    ])
      expect(await outcome(call)).toBe('STORE_OPTION_INVALID')
  })

  test('a server that hangs ends in our deadline, and serves again when it goes on', async () => {
    const name = freshName()
    const connection = await suite.connect(server.port)
    const store = await connection.open(name, { timeoutMs: TIMEOUT_MS })
    await store.compareAndSet('key', undefined, 'before')
    await server.pause()
    try {
      const calls: Promise<unknown>[] = [
        store.get('key'),
        store.compareAndSet('key', 'before', SECRET),
        store.lock('key'),
        store.ready(),
      ]
      const errors = await Promise.all(calls.map((call) => call.catch((reason: unknown) => reason)))
      for (const error of errors) {
        expect(error).toMatchObject({
          code: 'STORE_UNAVAILABLE',
          retryable: true,
          details: { reason: `no response within ${TIMEOUT_MS} ms` },
        })
        expect(JSON.stringify(error)).not.toContain(SECRET)
      }
    } finally {
      server.resume()
    }
    // The request may have been executed anyway.
    expect(['before', SECRET]).toContain(await untilAvailable(() => store.get('key')))
    expect(await outcome(store.compareAndSet('other', undefined, 'after'))).toBe(true)
    await connection.close()
  })

  test('a server that is killed is not available; what was written is there when it is back', async () => {
    const name = freshName()
    const connection = await suite.connect(server.port)
    const store = await connection.open(name, { timeoutMs: TIMEOUT_MS })
    await store.compareAndSet('key', undefined, SECRET)
    await server.kill()
    expect(await outcome(store.get('key'))).toBe('STORE_UNAVAILABLE')
    expect(await outcome(store.compareAndSet('key', SECRET, 'next'))).toBe('STORE_UNAVAILABLE')
    await server.restart()
    const found = await untilAvailable(() => store.get('key'))
    expect([SECRET, 'next']).toContain(found)
    if (found === SECRET) expect(await store.compareAndSet('key', SECRET, 'next')).toBe(true)
    expect(await untilAvailable(() => store.get('key'))).toBe('next')
    await connection.close()
    // The connections of the other tests can connect again.
    const probe = await one.open(freshName(), { timeoutMs: TIMEOUT_MS })
    await untilAvailable(() => probe.ready())
    const otherProbe = await other.open(freshName(), { timeoutMs: TIMEOUT_MS })
    await untilAvailable(() => otherProbe.ready())
  })
}
