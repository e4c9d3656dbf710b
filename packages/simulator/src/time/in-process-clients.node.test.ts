/** Clients in this process, on real sockets and threads. */
import { pbkdf2, pbkdf2Sync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { createGzip, gzip, gzipSync } from 'node:zlib'
import { createVirtualClock } from '@brokerwire/core/testing'
import { freePort } from '@brokerwire/testing/free-port'
import { openTradeStream, sendSigned, take } from '@brokerwire/testing/signed-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startSimulator } from '../index.ts'
import { getConnectionName, watchInProcessClients } from './in-process-clients.ts'

/**
 * Takes some milliseconds of a thread: many turns, but far fewer than the limit after which work is ignored.
 */
const ITERATIONS = 10_000
const derive = promisify(pbkdf2)

describe('work on the thread pool', () => {
  it('is waited for, with its consequences, even if it takes long', async () => {
    await using sim = await startSimulator({ clock: createVirtualClock() })
    sim.clock.setTimer(async () => {
      await Promise.resolve()
      await derive('secret', 'salt', ITERATIONS, 32, 'sha512')
      await sendSigned(sim, { method: 'GET', path: '/openapi/config' })
    }, 10)
    await sim.advance(1000)
    expect(sim.requests()).toHaveLength(1)
  })

  it('counts if a timer starts it synchronously', async () => {
    await using sim = await startSimulator({ clock: createVirtualClock() })
    sim.clock.setTimer(() => {
      pbkdf2('secret', 'salt', ITERATIONS, 32, 'sha512', () => {
        void sendSigned(sim, { method: 'GET', path: '/openapi/config' })
      })
    }, 10)
    await sim.advance(1000)
    expect(sim.requests()).toHaveLength(1)
  })

  it('is waited for if it started before: a request that was just sent', async () => {
    await using sim = await startSimulator()
    for (let count = 1; count <= 20; count += 1) {
      const sent = sendSigned(sim, { path: '/openapi/simulator/echo', json: { count } })
      await sim.waitForIdle()
      expect(sim.requests()).toHaveLength(count)
      await sent
    }
  })
})

describe('pending work', () => {
  it.each([
    ['random bytes', () => void randomBytes(8)],
    ['a digest', () => void pbkdf2Sync('secret', 'salt', 1, 32, 'sha512')],
    ['compression', () => void gzipSync('text')],
    ['an unused compressor', () => void createGzip()],
    ['a request without a response', () => void request('http://127.0.0.1:1').once('error', () => undefined)],
  ])('%s does not count if it was synchronous: it used to count until garbage collection', (_, work) => {
    const clients = watchInProcessClients()
    const endWatch = clients.trackWork()
    work()
    const { pending } = clients
    endWatch()
    clients.close()
    expect(pending).toBe(0)
  })

  it.each([
    ['random bytes', () => promisify(randomBytes)(8)],
    ['a digest', () => derive('secret', 'salt', 1, 32, 'sha512')],
    ['a digest of WebCrypto', () => crypto.subtle.digest('SHA-256', new Uint8Array(8))],
    ['compression', () => promisify(gzip)('text')],
    ['a file', () => stat('.')],
  ])('%s counts on the thread pool until it has completed', async (_, work) => {
    const clients = watchInProcessClients()
    const endWatch = clients.trackWork()
    const ended = work()
    expect(clients.pending).toBeGreaterThan(0)
    await ended
    // The test runner itself starts work from time to time.
    await expect.poll(() => clients.pending).toBe(0)
    expect(clients.started).toBeGreaterThan(0)
    endWatch()
    clients.close()
  })
})

it('a compressor is pending each time it works: the second time used to be missed', async () => {
  const clients = watchInProcessClients()
  const endWatch = clients.trackWork()
  const gzip = createGzip()
  const write = promisify(gzip.write.bind(gzip) as (text: string, done: () => void) => void)
  for (const text of ['one', 'two', 'three']) {
    // The test runner starts work from time to time, but not during a synchronous call.
    const before = [clients.pending, clients.started]
    const written = write(text)
    expect([clients.pending, clients.started]).toEqual(before.map((count) => count + 1))
    await written
    await expect.poll(() => clients.pending).toBe(0)
  }
  const { started } = clients
  endWatch()
  const { pending } = clients
  const written = write('without a client')
  expect({ pending: clients.pending, started: clients.started }).toEqual({ pending, started })
  await written
  gzip.destroy()
  clients.close()
})

describe('a client', () => {
  it('that disconnects is waited for until the service has noticed', async () => {
    await using sim = await startSimulator({ maxConnections: 50 })
    for (let round = 0; round < 20; round += 1) {
      const stream = await openTradeStream(sim)
      await take(stream, 1)
      stream.abort.abort()
      await sim.waitForIdle()
      expect(sim.subscriptions()).toEqual([])
    }
  })
})

describe('the two ends of a connection', () => {
  /** Two connections from one local port to different servers, as operating systems sometimes create. */
  async function fromOnePort(ports: readonly number[]): Promise<readonly Socket[]> {
    const localPort = await freePort()
    const sockets = ports.map((port) =>
      connect({ port, host: '127.0.0.1', localAddress: '127.0.0.1', localPort }),
    )
    for (const socket of sockets) socket.on('error', () => undefined)
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
    })
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    expect(sockets.map((socket) => socket.localPort)).toEqual(ports.map(() => localPort))
    return sockets
  }

  it('are matched by both ports: one port may have several connections', async () => {
    const clients = watchInProcessClients()
    onTestFinished(() => clients.close())
    await using sim = await startSimulator()
    const servers = [sim.baseUrl, sim.eventsUrl].map((url) => Number(new URL(url).port))
    const [first, second] = (await fromOnePort(servers)) as [Socket, Socket]
    const isHere = ({ localPort: remotePort = 0, remotePort: localPort = 0 }: Socket): boolean =>
      // Addresses as a dual-stack server reports them.
      clients.isInProcess(getConnectionName({ remoteAddress: '::ffff:127.0.0.1', remotePort, localPort }))
    expect({ isHereFirst: isHere(first), isHereSecond: isHere(second) }).toEqual({
      isHereFirst: true,
      isHereSecond: true,
    })
    first.destroy()
    await once(first, 'close')
    expect(isHere(second)).toBe(true)
  })
})
