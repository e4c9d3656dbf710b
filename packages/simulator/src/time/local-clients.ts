/**
 * The clients in this process: which sockets they have, and what they have begun that has not ended yet.
 *
 * Node tells of each socket that is made here (`net.client.socket` of `node:diagnostics_channel`), and of each piece of
 * work on its pool of threads (`node:async_hooks`): a client that signs a request is waited for like one that reads.
 */
import { createHook } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { stat } from 'node:fs/promises'
import type { Socket } from 'node:net'

/** One end of a connection, by which the other is found. */
type Addresses = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localPort'>

/** What has passed on a connection whose client is in this process. */
export interface Traffic {
  /** Bytes that its two ends have read. */
  readonly read: number
  /** Whether something that one end did has not reached the other: bytes, or that the client has gone. */
  readonly isOnTheWay: boolean
}

/** Clients in this process. */
export interface LocalClients {
  /** `undefined`: the client is elsewhere. */
  traffic(server: Socket): Traffic | undefined
  /** Whether the client of a connection is in this process. */
  isHere(connection: string): boolean
  /** Pieces of work that are on their way. Counted while {@link LocalClients.watch} is on. */
  readonly pending: number
  /** Pieces of work that were begun. */
  readonly begun: number
  /** What is on its way is waited for no longer. */
  forgetPending(): void
  /** A way through the pool of threads, behind what is on its way there. */
  passThreads(): Promise<void>
  /** A millisecond for others on a busy host, threads among them. No timer: a test may have put its own in their place. */
  nap(): void
  /** Begins to count work. @returns Ends it. */
  watch(): () => void
  close(): void
}

/** Work with an end of its own: cryptography, compression, files, names, connections on their way. */
const WORK = /^(?!HTTP).*REQUEST$|^FSREQ|REQWRAP$|^TCPCONNECTWRAP$|^ZLIB$/

/** Node's pool of threads has so many. */
const THREADS = 4

/** A connection's name, from the server's side. A port alone may be that of several: each to another server. */
export function connectionOf({ remoteAddress, remotePort, localPort }: Addresses): string {
  return nameOf(remoteAddress, remotePort, localPort)
}

/** A server that listens on both families sees an address of one as one of the other. */
function nameOf(address = '', clientPort = 0, serverPort = 0): string {
  return `${address.replace(/^::ffff:/, '')} ${clientPort} ${serverPort}`
}

interface Made {
  readonly type: string
  readonly resource: { readonly ondone?: unknown; write?: (...given: unknown[]) => unknown }
}

/**
 * Work that was done in the call that asked for it has no end that Node would tell of, and would be waited for until it is
 * collected. What is asked of a thread has somebody to call back: Node sets that on a job of cryptography.
 */
function isDoneAtOnce({ type, resource }: Made): boolean {
  return type.endsWith('REQUEST') && typeof resource.ondone !== 'function'
}

/** A compressor is made once and works often, even for a single text: each time is a call of its `write`. */
function onEachWrite(resource: Made['resource'], told: () => void): void {
  const { write } = resource
  resource.write = (...given) => {
    told()
    return write?.apply(resource, given)
  }
}

const NAP_MS = 1
const never = new Int32Array(new SharedArrayBuffer(4))

/** Looks from now on. */
export function watchLocalClients(): LocalClients {
  const clients = new Map<string, Socket>()
  /** Those whose client is not known, or not yet. */
  const servers = new Map<string, Socket>()
  /** By the server's side, for as long as that is there: the client may have gone. */
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
  /** A client that has left before anybody asked is known, too. */
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
  /** How often each piece of work is under way: a compressor may begin anew in the call that tells its end. */
  const work = new Map<number, number>()
  /** What was made since somebody asked: what it is shows when the call that made it is over. */
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
