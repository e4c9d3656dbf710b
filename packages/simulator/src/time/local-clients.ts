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

/** Clients in this process. */
export interface LocalClients {
  /**
   * What both ends of this connection have written and read, in bytes. `undefined`: the client is elsewhere, and not
   * asked, or gone.
   */
  traffic(server: Socket): { readonly written: number; readonly read: number } | undefined
  /** Whether the client of a connection from this port is in this process. */
  isHere(remotePort: number | undefined): boolean
  /** Pieces of work that are on their way. Counted while {@link LocalClients.watch} is on. */
  readonly pending: number
  /** Pieces of work that were begun. */
  readonly begun: number
  /** A way through the pool of threads, behind what is on its way there. */
  passThreads(): Promise<void>
  /** Begins to count work. @returns Ends it. */
  watch(): () => void
  close(): void
}

const CHANNEL = 'net.client.socket'
/** Work with an end of its own: cryptography, compression, files, names, connections on their way. */
const WORK = /REQUEST$|^FSREQ|REQWRAP$|^TCPCONNECTWRAP$|^ZLIB$/

/** Node's pool of threads has so many. */
const THREADS = 4

/** Looks from now on. */
export function watchLocalClients(): LocalClients {
  const byPort = new Map<number, Socket>()
  const onSocket = (message: unknown): void => {
    const { socket } = message as { socket: Socket }
    let port: number | undefined
    socket.once('connect', () => {
      port = socket.localPort
      if (port !== undefined) byPort.set(port, socket)
    })
    socket.once('close', () => {
      if (port !== undefined && byPort.get(port) === socket) byPort.delete(port)
    })
  }
  subscribe(CHANNEL, onSocket)
  const work = new Set<number>()
  let begun = 0
  let isOwn = false
  const hook = createHook({
    init(id, type) {
      if (isOwn || !WORK.test(type)) return
      work.add(id)
      begun += 1
    },
    after: (id) => void work.delete(id),
    destroy: (id) => void work.delete(id),
  })
  let watchers = 0
  const clientAt = (port: number | undefined) => (port === undefined ? undefined : byPort.get(port))
  return {
    isHere: (remotePort) => clientAt(remotePort) !== undefined,
    traffic(server) {
      const client = clientAt(server.remotePort)
      if (client === undefined || client.destroyed) return undefined
      return {
        written: server.bytesWritten + client.bytesWritten,
        read: server.bytesRead + client.bytesRead,
      }
    },
    get pending() {
      return work.size
    },
    get begun() {
      return begun
    },
    async passThreads() {
      isOwn = true
      const passes = Array.from({ length: THREADS }, () => stat('.').catch(() => undefined))
      isOwn = false
      await Promise.all(passes)
    },
    watch() {
      watchers += 1
      if (watchers === 1) hook.enable()
      return () => {
        watchers -= 1
        if (watchers > 0) return
        hook.disable()
        work.clear()
      }
    },
    close() {
      unsubscribe(CHANNEL, onSocket)
      hook.disable()
    },
  }
}
