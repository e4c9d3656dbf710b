/** Opens a listener on the loopback interface, and on no other. */
import type { AddressInfo, Server, Socket } from 'node:net'
import { SimulatorError } from './simulator-error.ts'

/** The only address that is ever bound. */
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
  /** Breaks every connection and stops listening. */
  close(): Promise<void>
}

/**
 * Listens.
 *
 * @param option - The option that set the port, for the error.
 * @throws {@link SimulatorError} `SIMULATOR_LISTEN_FAILED`
 */
export async function listen(server: Server, port: number, option: string): Promise<Listener> {
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
        new SimulatorError('SIMULATOR_LISTEN_FAILED', `${option}: cannot listen on port ${port}: ${reason}`, {
          details: { option, port, reason },
          retryable: reason === 'EADDRINUSE',
          cause: error,
        }),
      )
    }
    server.once('error', onError)
    server.listen({ host: LOOPBACK, port }, () => {
      server.off('error', onError)
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
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        destroySockets()
      }),
  }
}
