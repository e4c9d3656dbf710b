/** A server that exchanges bytes over TCP, TLS or WebSocket, on 127.0.0.1. */
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { WebSocketServer } from 'ws'
import { listenLocally } from './listen.ts'

export type Transport = 'mqtt' | 'mqtts' | 'ws' | 'wss'

/** A connection at the server. */
export interface ByteConnection {
  send(bytes: Uint8Array): void
  /** Closes the connection after all bytes are sent. */
  end(): void
  /** Closes the connection immediately. */
  destroy(): void
  /** The TCP socket of the connection. */
  readonly raw: Socket
}

/** The server. */
export interface ByteServer {
  readonly url: string
  close(): Promise<void>
}

/**
 * Starts a server.
 *
 * @param onConnection - Called for each connection. Returns the function that receives the bytes of the
 * connection.
 */
export async function startByteServer(
  transport: Transport,
  tls: { readonly key: string; readonly cert: string },
  onConnection: (connection: ByteConnection) => (bytes: Uint8Array) => void,
): Promise<ByteServer> {
  const onSocket = (socket: Socket): void => {
    const receive = onConnection({
      send: (bytes) => socket.write(bytes),
      end: () => socket.end(),
      destroy: () => socket.destroy(),
      raw: socket,
    })
    // The socket may be a TLS socket. Its TCP socket has a separate error listener.
    socket.on('error', () => {})
    socket.on('data', receive)
  }
  const onWebSocket = (server: ReturnType<typeof createHttpServer>) => {
    new WebSocketServer({ server, path: '/mqtt' }).on('connection', (socket, request) => {
      const receive = onConnection({
        send: (bytes) => socket.send(bytes),
        end: () => socket.close(),
        destroy: () => socket.terminate(),
        raw: request.socket,
      })
      socket.on('error', () => {})
      socket.on('message', (data) => receive(data as Buffer))
    })
    return server
  }
  const servers = {
    mqtt: () => createTcpServer(onSocket),
    mqtts: () => createTlsServer(tls, onSocket),
    ws: () => onWebSocket(createHttpServer()),
    wss: () => onWebSocket(createHttpsServer(tls)),
  }
  const { port, close } = await listenLocally(servers[transport]())
  return { url: `${transport}://127.0.0.1:${port}${transport.startsWith('ws') ? '/mqtt' : ''}`, close }
}
