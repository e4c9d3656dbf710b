/** TCP on 127.0.0.1 that is passed on, byte by byte, to a server on this machine: what a test does to it is its own. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The two ends of a connection that is passed on. */
export interface ForwardedPair {
  readonly client: Socket
  readonly upstream: Socket
}

/** What passes connections on. */
export interface Forwarding {
  readonly url: string
  /** Connections so far. */
  readonly connections: number
  /** Those that are open. */
  readonly open: ReadonlySet<ForwardedPair>
  close(): Promise<void>
}

/**
 * @param target - Where it forwards to.
 * @param onPair - Called for each connection, before anything has passed.
 */
export async function startForwarding(
  target: string,
  onPair?: (pair: ForwardedPair) => void,
): Promise<Forwarding> {
  const targetPort = Number(new URL(target).port)
  const open = new Set<ForwardedPair>()
  let connections = 0
  const end = ({ client, upstream }: ForwardedPair): void => {
    client.destroy()
    upstream.destroy()
  }
  const server = createServer((client) => {
    connections += 1
    const upstream = connect(targetPort, '127.0.0.1')
    const pair = { client, upstream }
    open.add(pair)
    onPair?.(pair)
    client.pipe(upstream)
    upstream.pipe(client)
    for (const socket of [client, upstream]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        end(pair)
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
    open,
    close() {
      for (const pair of open) end(pair)
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
