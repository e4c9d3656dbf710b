/** An HTTP proxy that knows CONNECT, as companies have them: it forwards bytes, and looks into none. */
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A running proxy. */
export interface ConnectProxy {
  readonly port: number
  /** Targets that a tunnel was asked for, `host:port`. */
  readonly targets: readonly string[]
  /** First bytes that came through each tunnel. */
  readonly beginnings: readonly Buffer[]
}

/** Starts it on 127.0.0.1. It ends with the test. @param credentials - `user:password` that it asks for. */
export async function startConnectProxy(credentials?: string): Promise<ConnectProxy> {
  const targets: string[] = []
  const beginnings: Buffer[] = []
  const sockets = new Set<Socket>()
  const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`
  const server = createServer((_, response) => response.writeHead(405).end())
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('connect', (incoming, client: Socket) => {
    if (expected !== undefined && incoming.headers['proxy-authorization'] !== expected) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      return
    }
    const [host, port] = String(incoming.url).split(':')
    targets.push(String(incoming.url))
    client.once('data', (chunk: Buffer) => beginnings.push(chunk))
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      client.pipe(upstream).pipe(client)
    })
    upstream.on('error', () => client.destroy())
    client.on('close', () => upstream.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return { port: (server.address() as AddressInfo).port, targets, beginnings }
}
