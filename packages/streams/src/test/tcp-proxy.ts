/** A TCP proxy that can stop forwarding without closing: a connection that is half dead. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Which way nothing goes any more. */
export type Direction = 'to-client' | 'to-server'

/** The proxy. */
export interface TcpProxy {
  readonly url: string
  /** Connections so far. */
  readonly connections: number
  /** Holds one direction of the connections that are open; new ones are not concerned. */
  hold(direction: Direction): void
  /** Forwards everything again, what was held back too. */
  release(): void
  close(): Promise<void>
}

/** Starts a proxy on 127.0.0.1. @param target - Where it forwards to. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { port: targetPort } = new URL(target)
  const open = new Set<{ readonly client: Socket; readonly upstream: Socket }>()
  let connections = 0
  const server = createServer((client) => {
    connections += 1
    const upstream = connect(Number(targetPort), '127.0.0.1')
    const pair = { client, upstream }
    open.add(pair)
    client.pipe(upstream)
    upstream.pipe(client)
    for (const socket of [client, upstream]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
        open.delete(pair)
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    get connections() {
      return connections
    },
    hold(direction) {
      for (const { client, upstream } of open) {
        const source = direction === 'to-client' ? upstream : client
        source.unpipe()
        source.pause()
      }
    },
    release() {
      for (const { client, upstream } of open) {
        client.unpipe()
        upstream.unpipe()
        client.pipe(upstream)
        upstream.pipe(client)
      }
    },
    close() {
      for (const { client, upstream } of open) {
        client.destroy()
        upstream.destroy()
      }
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
