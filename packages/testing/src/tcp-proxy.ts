/** A proxy of bytes before a server, which a test lets do what networks do: cut off, hold, delay, half-close. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** What the network does. */
export type Weather = 'open' | 'refuse' | 'hold'

/** A proxy under the test's hand. */
export interface TcpProxy {
  readonly port: number
  /** `refuse` ends new connections at once, `hold` passes nothing on in either direction. */
  weather: Weather
  /** Held back before each piece of an answer is passed on. */
  delayMs: number
  /** Resets all connections. */
  cut(): void
  /** Ends the server's side of all connections, as a balancer does that gives up; the client may go on writing. */
  halfClose(): void
  close(): Promise<void>
}

/** What passes one way, in the order in which it came: however the weather changes, no piece overtakes another. */
interface Way {
  tail: Promise<void>
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const clients = new Set<Socket>()
  const held: (() => void)[] = []
  let weather: Weather = 'open'
  let delayMs = 0

  const pass = (way: Way, action: () => void, afterMs: number): void => {
    const dueMs = performance.now() + afterMs
    way.tail = way.tail.then(async () => {
      const waitMs = dueMs - performance.now()
      if (afterMs > 0 && waitMs > 0)
        await new Promise<void>((resolve) => void setTimeout(resolve, waitMs).unref())
      while (weather === 'hold') await new Promise<void>((resolve) => held.push(resolve))
      action()
    })
  }
  const write = (to: Socket, bytes: Buffer): void => {
    if (!to.destroyed && to.writable) to.write(bytes)
  }
  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (weather === 'refuse') {
      client.resetAndDestroy()
      return
    }
    const upstream = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true })
    clients.add(client)
    const end = (): void => {
      clients.delete(client)
      client.destroy()
      upstream.destroy()
    }
    const [there, back]: [Way, Way] = [{ tail: Promise.resolve() }, { tail: Promise.resolve() }]
    client.on('data', (bytes: Buffer) => pass(there, () => write(upstream, bytes), 0))
    upstream.on('data', (bytes: Buffer) => pass(back, () => write(client, bytes), delayMs))
    client.on('end', () => pass(there, () => upstream.end(), 0))
    upstream.on('end', () => pass(back, () => client.end(), delayMs))
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true)
      socket.on('error', end)
      socket.on('close', end)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const cut = (): void => {
    for (const socket of [...clients]) socket.resetAndDestroy()
  }
  return {
    port,
    get delayMs() {
      return delayMs
    },
    set delayMs(next: number) {
      delayMs = next
    },
    get weather() {
      return weather
    },
    set weather(next: Weather) {
      weather = next
      if (next !== 'hold') for (const go of held.splice(0)) go()
    },
    cut,
    halfClose() {
      for (const socket of [...clients]) socket.end()
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
