/** A TCP proxy that records the HTTP/2 PINGs of the client, and changes no bytes. */
import { ACK, FRAME, frameReader } from './raw-http2.ts'
import { startTcpProxy } from './tcp-proxy.ts'

/** Maximum size of a chunk that counts as the ACK of a PING with window updates around it. */
const MAX_ANSWER_BYTES = 100

/** The proxy. */
export interface PingProxy {
  readonly url: string
  /** Number of connections so far. */
  readonly connections: number
  /** Times of PINGs, in milliseconds since the first connection. */
  readonly pingsMs: readonly number[]
  /**
   * The last time at which the server sent more than ACKs of PINGs, in milliseconds since the first
   * connection.
   */
  readonly lastDataMs: number
  close(): Promise<void>
}

/** Reads the client's bytes in chunks of any size, and calls `onPing` for each PING that is not an ACK. */
export function pingReader(onPing: () => void): (chunk: Buffer) => void {
  return frameReader(({ type, flags }) => {
    if (type === FRAME.ping && (flags & ACK) === 0) onPing()
  })
}

/**
 * Starts a proxy on 127.0.0.1.
 *
 * @param target - The URL of the server.
 */
export async function startPingProxy(target: string): Promise<PingProxy> {
  const pingsMs: number[] = []
  let startedMs: number | undefined
  let lastDataMs = 0
  const sinceMs = (): number => performance.now() - (startedMs ?? Number.NaN)
  const proxy = await startTcpProxy(target, ({ client, upstream }) => {
    startedMs ??= performance.now()
    client.on(
      'data',
      pingReader(() => pingsMs.push(sinceMs())),
    )
    upstream.on('data', (chunk: Buffer) => {
      if (chunk.length > MAX_ANSWER_BYTES) lastDataMs = sinceMs()
    })
  })
  return {
    url: proxy.url,
    get connections() {
      return proxy.connections
    },
    pingsMs,
    get lastDataMs() {
      return lastDataMs
    },
    close: () => proxy.close(),
  }
}
