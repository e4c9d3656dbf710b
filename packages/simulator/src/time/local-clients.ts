/**
 * Tracks clients in this process: their sockets, and work that they started and have not completed.
 *
 * Node reports each socket that is created here (`net.client.socket` of `node:diagnostics_channel`) and each job of its
 * thread pool (`node:async_hooks`): a client that is signing a request is waited for, like one that is reading.
 */
import { createHook } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { stat } from 'node:fs/promises'
import type { Socket } from 'node:net'

/** Addresses of a socket, by which its peer is found. */
type Addresses = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localPort'>

/** Traffic of a connection whose client is in this process. */
export interface Traffic {
  /** Number of bytes that both ends have read. */
  readonly read: number
  /** Whether something is in transit: bytes, or the close of the client. */
  readonly isOnTheWay: boolean
}

/** The clients in this process. */
export interface LocalClients {
  /** `undefined` if the client is in another process. */
  traffic(server: Socket): Traffic | undefined
  /** Whether the client of a connection is in this process. */
  isHere(connection: string): boolean
  /** Number of jobs that have not completed. Counted while {@link LocalClients.watch} is active. */
  readonly pending: number
  /** Number of jobs that were started. */
  readonly begun: number
  /** Ignores all jobs that have not completed. */
  forgetPending(): void
  /** Resolves after a job that was queued behind those in the thread pool. */
  passThreads(): Promise<void>
  /**
   * Blocks for a millisecond, so that other threads run on a busy host. It uses no timer, because a test may have
   * mocked timers.
   */
  nap(): void
  /** Begins to count jobs. @returns Stops counting. */
  watch(): () => void
  close(): void
}

/** Resource types that complete: cryptography, compression, files, DNS, opening connections. */
const WORK = /^(?!HTTP).*REQUEST$|^FSREQ|REQWRAP$|^TCPCONNECTWRAP$|^ZLIB$/

/** Size of Node's thread pool. */
const THREADS = 4

/**
 * Name of a connection, from the server's side. It has both ports: one client port may have connections to several
 * servers.
 */
export function connectionOf({ remoteAddress, remotePort, localPort }: Addresses): string {
  return nameOf(remoteAddress, remotePort, localPort)
}

/** A dual-stack server reports IPv4 addresses in IPv6 form. */
function nameOf(address = '', clientPort = 0, serverPort = 0): string {
  return `${address.replace(/^::ffff:/, '')} ${clientPort} ${serverPort}`
}

interface Made {
  readonly type: string
  readonly resource: { readonly ondone?: unknown; write?: (...given: unknown[]) => unknown }
}

/**
 * Synchronous work has no completion that Node reports, and would count until it is garbage collected. An asynchronous
 * cryptography job has a callback, which Node sets.
 */
function isDoneAtOnce({ type, resource }: Made): boolean {
  return type.endsWith('REQUEST') && typeof resource.ondone !== 'function'
}

/** A compressor is created once but works often, even for one text: each call of its `write` is a job. */
function onEachWrite(resource: Made['resource'], told: () => void): void {
  const { write } = resource
  resource.write = (...given) => {
    told()
    return write?.apply(resource, given)
  }
}

const NAP_MS = 1
const never = new Int32Array(new SharedArrayBuffer(4))

/** Starts to track clients. */
export function watchLocalClients(): LocalClients {
  const clients = new Map<string, Socket>()
  /** Server-side sockets whose client is unknown or not known yet. */
  const servers = new Map<string, Socket>()
  /** Keyed by the server-side socket: the client's may be gone. */
  const pairs = new WeakMap<Socket, Socket>()
  const onClient = (message: unknown): void => {
    const { socket } = message as { socket: Socket }
    let name: string | undefined
    socket.once('connect', () => {
      name = nameOf(socket.localAddress, socket.localPort, socket.remotePort)
      clients.set(name, socket)
      const server = servers.get(name)
      if (server !== undefined) pairs.set(server, socket)
    })
    socket.once('close', () => {
      if (name !== undefined && clients.get(name) === socket) clients.delete(name)
    })
  }
  const clientOf = (server: Socket): Socket | undefined => {
    const known = pairs.get(server)
    if (known !== undefined) return known
    const found = clients.get(connectionOf(server))
    if (found !== undefined) pairs.set(server, found)
    return found
  }
  /** Also records a client that disconnects before its first lookup. */
  const onServer = (message: unknown): void => {
    const { socket } = message as { socket: Socket }
    if (clientOf(socket) !== undefined) return
    const name = connectionOf(socket)
    servers.set(name, socket)
    socket.once('close', () => {
      if (servers.get(name) === socket) servers.delete(name)
    })
  }
  subscribe('net.client.socket', onClient)
  subscribe('net.server.socket', onServer)
  /** Number of running jobs by id: a compressor may start again within its own callback. */
  const work = new Map<number, number>()
  /** Resources since the last check: whether one is asynchronous is known after the call that created it. */
  const made = new Map<number, Made>()
  let begun = 0
  let isOwn = false
  let watchers = 0
  const begin = (id: number): void => {
    begun += 1
    work.set(id, (work.get(id) ?? 0) + 1)
  }
  const hook = createHook({
    init(id, type, _, resource) {
      if (isOwn || !WORK.test(type)) return
      if (type === 'ZLIB') onEachWrite(resource, () => watchers > 0 && begin(id))
      else made.set(id, { type, resource })
    },
    after(id) {
      if (made.delete(id)) begun += 1
      const left = (work.get(id) ?? 0) - 1
      if (left > 0) work.set(id, left)
      else work.delete(id)
    },
    destroy(id) {
      made.delete(id)
      work.delete(id)
    },
  })
  const look = (): void => {
    for (const [id, item] of made) {
      if (!isDoneAtOnce(item)) begin(id)
    }
    made.clear()
  }
  return {
    isHere: (connection) => clients.has(connection),
    traffic(server) {
      const client = clientOf(server)
      if (client === undefined) return undefined
      const read = server.bytesRead + client.bytesRead
      const isRead = read >= server.bytesWritten + client.bytesWritten
      return { read, isOnTheWay: client.destroyed || !isRead }
    },
    get pending() {
      look()
      return work.size
    },
    get begun() {
      look()
      return begun
    },
    forgetPending: () => work.clear(),
    async passThreads() {
      isOwn = true
      const passes = Array.from({ length: THREADS }, () => stat('.').catch(() => undefined))
      isOwn = false
      await Promise.all(passes)
    },
    nap: () => void Atomics.wait(never, 0, 0, NAP_MS),
    watch() {
      watchers += 1
      if (watchers === 1) hook.enable()
      return () => {
        watchers -= 1
        if (watchers > 0) return
        hook.disable()
        made.clear()
        work.clear()
      }
    },
    close() {
      unsubscribe('net.client.socket', onClient)
      unsubscribe('net.server.socket', onServer)
      hook.disable()
    },
  }
}
