/** An HTTP proxy with CONNECT, as companies have one. It forwards bytes without interpreting them. */
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { startHttpServer } from './http-server.ts'

/** A running proxy. */
export interface ConnectProxy {
  readonly port: number
  /** The targets of all tunnels, as `host:port`. */
  readonly targets: readonly string[]
  /** The first bytes in each tunnel. */
  readonly beginnings: readonly Buffer[]
}

/**
 * Starts a proxy on 127.0.0.1. It is closed at the end of the test.
 *
 * @param credentials - The `user:password` that the proxy requires. By default, it requires none.
 */
export async function startConnectProxy(credentials?: string): Promise<ConnectProxy> {
  const targets: string[] = []
  const beginnings: Buffer[] = []
  const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`
  const { port, server, close } = await startHttpServer((_, response) => void response.writeHead(405).end())
  server.on('connect', (incoming, client: Socket) => {
    if (expected !== undefined && incoming.headers['proxy-authorization'] !== expected) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      return
    }
    const [host, targetPort] = String(incoming.url).split(':')
    targets.push(String(incoming.url))
    client.once('data', (chunk: Buffer) => beginnings.push(chunk))
    const upstream = connect(Number(targetPort), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      client.pipe(upstream).pipe(client)
    })
    upstream.on('error', () => client.destroy())
    client.on('close', () => upstream.destroy())
  })
  onTestFinished(close)
  return { port, targets, beginnings }
}
