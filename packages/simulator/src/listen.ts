/** TCP listeners. By default they listen on the loopback interface. */
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import { SimulatorError } from './simulator-error.ts'

/** The default address. */
export const LOOPBACK = '127.0.0.1'

/** Maximum number of connections of one listener. Further connections are destroyed immediately. */
const MAX_CONNECTIONS = 1000

/** A listener and its connections. */
export interface Listener {
  readonly port: number
  /** Server-side sockets of the connections. */
  readonly sockets: ReadonlySet<Socket>
  /** Destroys every connection. @returns Number of connections. */
  destroySockets(): number
  /**
   * Sets whether the listener accepts connections. If it does not, new connections are destroyed immediately.
   */
  setReachable(reachable: boolean): void
  /** Stops listening. Resolves when all open connections have ended. */
  drain(): Promise<void>
  /** Destroys every connection and stops listening. */
  close(): Promise<void>
}

/**
 * Opens a listener.
 *
 * @param option - Name of the option that sets the port. The error contains it.
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
      // If the system cannot accept a connection, for example because no file descriptor is free, the error
      // is ignored and other connections continue.
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

/** Returns the host of a URL by which clients on this machine reach the address. */
export function urlHost(address: string): string {
  if (address === '0.0.0.0') return LOOPBACK
  if (address === '::') return '[::1]'
  return address.includes(':') ? `[${address}]` : address
}

/** Whether only this machine can reach an address. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address)
}
