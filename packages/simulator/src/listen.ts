/** Opens a listener: on the loopback interface, unless another address was asked for. */
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import { SimulatorError } from './simulator-error.ts'

/** The address that is bound where none is named. */
export const LOOPBACK = '127.0.0.1'

/** Connections of one listener; what comes beyond is broken at once. */
const MAX_CONNECTIONS = 1000

/** A listener and the connections on it. */
export interface Listener {
  readonly port: number
  /** The connections, this side of them. */
  readonly sockets: ReadonlySet<Socket>
  /** Breaks every connection, without a word to the other side. @returns How many. */
  destroySockets(): number
  /** `false`: new connections are broken at once. */
  setReachable(reachable: boolean): void
  /** Takes no more connections. Resolves when those that are open have ended. */
  drain(): Promise<void>
  /** Breaks every connection and stops listening. */
  close(): Promise<void>
}

/**
 * Listens.
 *
 * @param option - The option that set the port, for the error.
 * @throws {@link SimulatorError} `SIMULATOR_LISTEN_FAILED`
 */
export async function listen(
  server: Server,
  port: number,
  option: string,
  host = LOOPBACK,
): Promise<Listener> {
  server.maxConnections = MAX_CONNECTIONS
  const sockets = new Set<Socket>()
  let isReachable = true
  server.on('connection', (socket: Socket) => {
    if (!isReachable) {
      socket.destroy()
      return
    }
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      const reason = error.code ?? 'UNKNOWN'
      reject(
        new SimulatorError(
          'SIMULATOR_LISTEN_FAILED',
          `${option}: cannot listen on ${host}, port ${port}: ${reason}`,
          {
            details: { option, port, reason },
            retryable: reason === 'EADDRINUSE',
            cause: error,
          },
        ),
      )
    }
    server.once('error', onError)
    server.listen({ host, port }, () => {
      server.off('error', onError)
      // A connection that the host could not hand over, as where it has no file left, is not the end of the others.
      server.on('error', () => undefined)
      resolve()
    })
  })
  const destroySockets = (): number => {
    const count = sockets.size
    for (const socket of sockets) socket.destroy()
    return count
  }
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    destroySockets,
    setReachable(reachable) {
      isReachable = reachable
    },
    drain: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        if ('closeIdleConnections' in server) (server as HttpServer).closeIdleConnections()
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        destroySockets()
      }),
  }
}

/** How an address is written in a URL, for clients on this machine. */
export function urlHost(address: string): string {
  if (address === '0.0.0.0') return LOOPBACK
  if (address === '::') return '[::1]'
  return address.includes(':') ? `[${address}]` : address
}

/** Whether nobody beyond this machine reaches an address. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address)
}
