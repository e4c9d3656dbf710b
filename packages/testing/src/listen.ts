/** Starts servers on 127.0.0.1. Closing such a server closes its connections too. */
import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

/** A server that listens. */
export interface Listening {
  /** The port of the server. 0 for a Unix socket. */
  readonly port: number
  /** Destroys every connection and stops listening. */
  close(): Promise<void>
}

/**
 * Starts listening, and ignores errors of single connections, because tests break them intentionally.
 *
 * @param path - Path of a Unix socket.
 * @defaultValue a free port of 127.0.0.1
 */
export async function listenLocally(server: Server, path?: string): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  if (path === undefined) server.listen(0, '127.0.0.1')
  else server.listen(path)
  await once(server, 'listening')
  return {
    port: path === undefined ? (server.address() as AddressInfo).port : 0,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
