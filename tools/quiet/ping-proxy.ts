/** A TCP proxy that sees the client's PINGs pass: frames are read where they lie, and change nothing. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

const PREFACE_BYTES = 24
const HEAD_BYTES = 9
/** An answer to a PING, with window updates around it. */
const MAX_ANSWER_BYTES = 100
const PING = 6
const ACK = 1

/** The proxy. */
export interface PingProxy {
  readonly url: string
  readonly connections: number
  /** When PINGs went out, in milliseconds since the first connection. */
  readonly pingsMs: readonly number[]
  /** When the server last sent more than answers to them, on the same clock. */
  readonly lastDataMs: number
  close(): Promise<void>
}

/** Calls back for each PING among frames that come in chunks of any size. */
export function pingReader(onPing: () => void): (chunk: Buffer) => void {
  let skip = PREFACE_BYTES
  let head = Buffer.alloc(0)
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (skip > 0) {
        const passed = Math.min(skip, chunk.length - at)
        skip -= passed
        at += passed
        continue
      }
      const part = chunk.subarray(at, at + HEAD_BYTES - head.length)
      head = Buffer.concat([head, part])
      at += part.length
      if (head.length < HEAD_BYTES) return
      if (head[3] === PING && ((head[4] ?? 0) & ACK) === 0) onPing()
      skip = head.readUIntBE(0, 3)
      head = Buffer.alloc(0)
    }
  }
}

/** Starts a proxy on 127.0.0.1. @param target - Where it forwards to. */
export async function startPingProxy(target: string): Promise<PingProxy> {
  const sockets = new Set<Socket>()
  const pingsMs: number[] = []
  let connections = 0
  let startedAt = 0
  let lastDataMs = 0
  const server = createServer((client) => {
    connections += 1
    if (connections === 1) startedAt = performance.now()
    const upstream = connect(Number(new URL(target).port), '127.0.0.1')
    client.on(
      'data',
      pingReader(() => pingsMs.push(performance.now() - startedAt)),
    )
    upstream.on('data', (chunk: Buffer) => {
      if (chunk.length > MAX_ANSWER_BYTES) lastDataMs = performance.now() - startedAt
    })
    client.pipe(upstream)
    upstream.pipe(client)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
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
    pingsMs,
    get lastDataMs() {
      return lastDataMs
    },
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
