/**
 * Tracks clients in this process: their sockets, and work that they have started and not completed. Node
 * reports each socket that is created in this process (`net.client.socket` of `node:diagnostics_channel`) and
 * each job of its thread pool (`node:async_hooks`). Therefore the simulator can wait for a client that is
 * signing a request, as it waits for a client that is reading.
 */
import { createHook } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { stat } from 'node:fs/promises'
import type { Socket } from 'node:net'

/** Addresses and ports of a server-side socket, which identify its client. */
type Addresses = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localPort'>

/** Traffic of a connection whose client is in this process. */
export interface Traffic {
  /** Number of bytes that the server has read plus those that the client has read. */
  readonly read: number
  /** Whether bytes are in transit, or the client has closed and the server has not noticed it yet. */
  readonly isInTransit: boolean
}

/** The clients in this process. */
export interface InProcessClients {
  /** Returns the traffic of a connection. `undefined` if the client is in another process. */
  traffic(server: Socket): Traffic | undefined
  /** Whether the client of a connection is in this process. */
  isInProcess(connection: string): boolean
  /**
   * Number of jobs that have not completed. Jobs are counted while {@link InProcessClients.trackWork} is
   * active.
   */
  readonly pending: number
  /** Number of jobs that were started. */
  readonly started: number
  /** Stops counting the jobs that have not completed. */
  ignorePending(): void
  /** Resolves when the current jobs of the thread pool have completed. */
  waitForThreadPool(): Promise<void>
  /**
   * Blocks for a millisecond, so that other threads run on a busy host. It uses no timer, because a test may have
   * mocked timers.
   */
  yieldToThreads(): void
  /**
   * Starts to count jobs.
   *
   * @returns A function that stops counting.
   */
  trackWork(): () => void
  close(): void
}

/** Types of the resources that are jobs: cryptography, compression, files, DNS, and opening connections. */
const WORK = /^(?!HTTP).*REQUEST$|^FSREQ|REQWRAP$|^TCPCONNECTWRAP$|^ZLIB$/

/** Size of Node's thread pool. */
const THREADS = 4

/**
 * Returns the name of a connection by its server-side socket. The name contains both ports, because one
 * client port may have connections to several servers.
 */
export function getConnectionName({ remoteAddress, remotePort, localPort }: Addresses): string {
  return formatConnectionName(remoteAddress, remotePort, localPort)
}

/**
 * Formats the name. `::ffff:` is removed, because a dual-stack server reports IPv4 addresses in IPv6 form.
 */
function formatConnectionName(address = '', clientPort = 0, serverPort = 0): string {
  return `${address.replace(/^::ffff:/, '')} ${clientPort} ${serverPort}`
}

interface CreatedResource {
  readonly type: string
  readonly resource: { readonly ondone?: unknown; write?: (...given: unknown[]) => unknown }
}

/**
 * Whether a resource is synchronous work, which is not counted. Node does not report its completion, so it
 * would count until it is garbage collected. An asynchronous cryptography job has the callback `ondone`,
 * which Node sets.
 */
function isSynchronous({ type, resource }: CreatedResource): boolean {
  return type.endsWith('REQUEST') && typeof resource.ondone !== 'function'
}

/**
 * Counts each `write` of a compressor as a job, because a compressor is created once but works repeatedly.
 */
function onEachWrite(resource: CreatedResource['resource'], onWrite: () => void): void {
  const { write } = resource
  resource.write = (...given) => {
    onWrite()
    return write?.apply(resource, given)
  }
}

const YIELD_MS = 1
const neverNotified = new Int32Array(new SharedArrayBuffer(4))

/** Starts to track clients. */
export function watchInProcessClients(): InProcessClients {
  const clients = new Map<string, Socket>()
  /** Server-side sockets, by connection name, whose client was not known when they were created. */
  const servers = new Map<string, Socket>()
  /** Client sockets by server-side socket. An entry remains after the client socket has closed. */
  const pairs = new WeakMap<Socket, Socket>()
  const onClient = (message: unknown): void => {
    const { socket } = message as { socket: Socket }
    let name: string | undefined
    socket.once('connect', () => {
      name = formatConnectionName(socket.localAddress, socket.localPort, socket.remotePort)
      clients.set(name, socket)
      const server = servers.get(name)
      if (server !== undefined) pairs.set(server, socket)
    })
    socket.once('close', () => {
      if (name !== undefined && clients.get(name) === socket) clients.delete(name)
    })
  }
  const findClient = (server: Socket): Socket | undefined => {
    const known = pairs.get(server)
    if (known !== undefined) return known
    const found = clients.get(getConnectionName(server))
    if (found !== undefined) pairs.set(server, found)
    return found
  }
  /**
   * Called when a server gets a connection. Its client is looked up now, so that a client which disconnects
   * soon is recorded too.
   */
  const onServer = (message: unknown): void => {
    const { socket } = message as { socket: Socket }
    if (findClient(socket) !== undefined) return
    const name = getConnectionName(socket)
    servers.set(name, socket)
    socket.once('close', () => {
      if (servers.get(name) === socket) servers.delete(name)
    })
  }
  subscribe('net.client.socket', onClient)
  subscribe('net.server.socket', onServer)
  /**
   * Number of running jobs, by the id of their resource. A compressor may have several, because it may start
   * a job in its own callback.
   */
  const jobs = new Map<number, number>()
  /**
   * Resources that were created since the last check. They are checked later, because only after the call
   * that created a resource is it known whether the resource is asynchronous.
   */
  const created = new Map<number, CreatedResource>()
  let startedJobs = 0
  let isIgnored = false
  let watchers = 0
  const startJob = (id: number): void => {
    startedJobs += 1
    jobs.set(id, (jobs.get(id) ?? 0) + 1)
  }
  const hook = createHook({
    init(id, type, _, resource) {
      if (isIgnored || !WORK.test(type)) return
      if (type === 'ZLIB') onEachWrite(resource, () => watchers > 0 && startJob(id))
      else created.set(id, { type, resource })
    },
    after(id) {
      if (created.delete(id)) startedJobs += 1
      const left = (jobs.get(id) ?? 0) - 1
      if (left > 0) jobs.set(id, left)
      else jobs.delete(id)
    },
    destroy(id) {
      created.delete(id)
      jobs.delete(id)
    },
  })
  const countCreated = (): void => {
    for (const [id, item] of created) {
      if (!isSynchronous(item)) startJob(id)
    }
    created.clear()
  }
  return {
    isInProcess: (connection) => clients.has(connection),
    traffic(server) {
      const client = findClient(server)
      if (client === undefined) return undefined
      const read = server.bytesRead + client.bytesRead
      const isRead = read >= server.bytesWritten + client.bytesWritten
      return { read, isInTransit: client.destroyed || !isRead }
    },
    get pending() {
      countCreated()
      return jobs.size
    },
    get started() {
      countCreated()
      return startedJobs
    },
    ignorePending: () => jobs.clear(),
    async waitForThreadPool() {
      isIgnored = true
      const passes = Array.from({ length: THREADS }, () => stat('.').catch(() => undefined))
      isIgnored = false
      await Promise.all(passes)
    },
    yieldToThreads: () => void Atomics.wait(neverNotified, 0, 0, YIELD_MS),
    trackWork() {
      watchers += 1
      if (watchers === 1) hook.enable()
      return () => {
        watchers -= 1
        if (watchers > 0) return
        hook.disable()
        created.clear()
        jobs.clear()
      }
    },
    close() {
      unsubscribe('net.client.socket', onClient)
      unsubscribe('net.server.socket', onServer)
      hook.disable()
    },
  }
}
