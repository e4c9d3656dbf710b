/** A server that speaks bytes over TCP, TLS or WebSocket, on 127.0.0.1: what a test does with each connection is its own. */

import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { WebSocketServer } from 'ws'

export type Transport = 'mqtt' | 'mqtts' | 'ws' | 'wss'

/** A connection, as the server sees it. */
export interface ByteConnection {
  send(bytes: Uint8Array): void
  /** Ends it in an orderly way. */
  end(): void
  /** Breaks it. */
  destroy(): void
  /** The socket below. */
  readonly raw: Socket
}

export interface ByteServer {
  readonly url: string
  close(): Promise<void>
}

/** @param onConnection - @returns What is called with the bytes that come. */
export async function byteServer(
  transport: Transport,
  tls: { readonly key: string; readonly cert: string },
  onConnection: (connection: ByteConnection) => (bytes: Uint8Array) => void,
): Promise<ByteServer> {
  const sockets = new Set<Socket>()
  const onSocket = (socket: Socket): void => {
    const take = onConnection({
      send: (bytes) => socket.write(bytes),
      end: () => socket.end(),
      destroy: () => socket.destroy(),
      raw: socket,
    })
    socket.on('data', take)
  }
  const isTcp = transport === 'mqtt' || transport === 'mqtts'
  const server = isTcp
    ? transport === 'mqtts'
      ? createTlsServer(tls, onSocket)
      : createTcpServer(onSocket)
    : transport === 'wss'
      ? createHttpsServer(tls)
      : createHttpServer()
  if (!isTcp) {
    const webSockets = new WebSocketServer({
      server: server as ReturnType<typeof createHttpServer>,
      path: '/mqtt',
    })
    webSockets.on('connection', (socket, request) => {
      const take = onConnection({
        send: (bytes) => socket.send(bytes),
        end: () => socket.close(),
        destroy: () => socket.terminate(),
        raw: request.socket,
      })
      socket.on('error', () => {})
      socket.on('message', (data) => take(data as Buffer))
    })
  }
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${transport}://127.0.0.1:${port}${isTcp ? '' : '/mqtt'}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
