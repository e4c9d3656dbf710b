/**
 * A TCP proxy on 127.0.0.1 with faults of networks: it can reject, reset, pause, delay and half-close
 * connections.
 */
import { connect, createServer, type Socket } from 'node:net'
import { drained } from './drained.ts'
import { listenLocally } from './listen.ts'

/**
 * The state of the network. `refuse` resets new connections. `hold` forwards no bytes in either direction.
 */
export type ProxyMode = 'open' | 'refuse' | 'hold'
/** One direction of a connection. */
export type Direction = 'to-client' | 'to-server'

/** The two sockets of a forwarded connection. */
export interface ProxiedPair {
  readonly client: Socket
  readonly upstream: Socket
}

/** The proxy. */
export interface TcpProxy {
  readonly port: number
  readonly url: string
  /** Number of connections so far, without rejected ones. */
  readonly connections: number
  mode: ProxyMode
  /** The port of the server that new connections are forwarded to. */
  target: number
  /** Delay of each chunk that the server sends. */
  delayMs: number
  /** Stops forwarding in one direction of the connections that are open now. */
  hold(direction: Direction): void
  /** Forwards everything again, including the bytes that were stopped. */
  release(): void
  /** Resets all connections. */
  cut(): void
  /**
   * Closes the server's side of all connections, as a load balancer does after its timeout. The client may
   * still write.
   */
  halfClose(): void
  close(): Promise<void>
}

/** If more bytes than this are waiting, the proxy stops reading. */
const MAX_WAITING_BYTES = 1024 * 1024

interface Connection extends ProxiedPair {
  readonly held: Set<Direction>
}

/**
 * Starts a proxy.
 *
 * @param target - The port or the URL of a server on this machine.
 * @param onPair - Called for each connection before any byte is forwarded.
 */
export async function startTcpProxy(
  target: number | string,
  onPair?: (pair: ProxiedPair) => void,
): Promise<TcpProxy> {
  const open = new Set<Connection>()
  let wake: (() => void)[] = []
  const wakeAll = (): void => {
    const woken = wake
    wake = []
    for (const resolve of woken) resolve()
  }

  const forward = (connection: Connection, direction: Direction): void => {
    const { client, upstream, held } = connection
    const [from, to] = direction === 'to-server' ? [client, upstream] : [upstream, client]
    let last = Promise.resolve()
    let waitingBytes = 0
    /** Adds an action. Actions run in order, so that no chunk overtakes another when the mode changes. */
    const enqueue = (action: () => Promise<void> | void): void => {
      const delayMs = direction === 'to-client' ? proxy.delayMs : 0
      const dueMs = performance.now() + delayMs
      last = last.then(async () => {
        const waitMs = dueMs - performance.now()
        if (delayMs > 0 && waitMs > 0)
          await new Promise<void>((resolve) => void setTimeout(resolve, waitMs).unref())
        while (proxy.mode === 'hold' || held.has(direction))
          await new Promise<void>((resolve) => wake.push(resolve))
        await action()
      })
    }
    from.on('data', (bytes: Buffer) => {
      waitingBytes += bytes.length
      if (waitingBytes > MAX_WAITING_BYTES) from.pause()
      enqueue(async () => {
        if (to.writable && !to.write(bytes)) await drained(to)
        waitingBytes -= bytes.length
        if (waitingBytes <= MAX_WAITING_BYTES) from.resume()
      })
    })
    from.on('end', () => enqueue(() => void to.end()))
  }

  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (proxy.mode === 'refuse') {
      client.resetAndDestroy()
      return
    }
    connections += 1
    const upstream = connect({ port: proxy.target, host: '127.0.0.1', allowHalfOpen: true })
    const connection: Connection = { client, upstream, held: new Set() }
    open.add(connection)
    onPair?.(connection)
    forward(connection, 'to-server')
    forward(connection, 'to-client')
    const end = (): void => {
      open.delete(connection)
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true)
      socket.on('error', end)
      socket.on('close', end)
    }
  })
  let connections = 0
  let mode: ProxyMode = 'open'
  const { port, close } = await listenLocally(server)
  const proxy: TcpProxy = {
    port,
    url: `http://127.0.0.1:${port}`,
    target: typeof target === 'number' ? target : Number(new URL(target).port),
    delayMs: 0,
    get connections() {
      return connections
    },
    get mode() {
      return mode
    },
    set mode(next: ProxyMode) {
      mode = next
      wakeAll()
    },
    hold(direction) {
      for (const { held } of open) held.add(direction)
    },
    release() {
      for (const { held } of open) held.clear()
      wakeAll()
    },
    cut() {
      for (const { client } of open) client.resetAndDestroy()
    },
    halfClose() {
      for (const { client } of open) client.end()
    },
    close() {
      proxy.cut()
      return close()
    },
  }
  return proxy
}
