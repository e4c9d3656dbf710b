/** An HTTP/1.1 server on bare TCP: it says whatever bytes it is told to say, and keeps what came in. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A whole request, as it stood on the wire. */
export interface RawRequest {
  readonly method: string
  readonly target: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** All of it. */
  readonly bytes: Buffer
}

/** What answers a request; the connection is in its hand. */
export type RawAnswer = (socket: Socket, request: RawRequest) => void

/** The server. */
export interface RawHttpServer {
  readonly url: string
  readonly requests: readonly RawRequest[]
  /** Connections so far. */
  readonly connections: number
  answer: RawAnswer
  close(): Promise<void>
}

/** One request at the beginning of what was received, or `undefined` where it is not whole yet. */
function parse(received: Buffer): RawRequest | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [line = '', ...rest] = received.subarray(0, end).toString('latin1').split('\r\n')
  const headers: Record<string, string> = Object.create(null)
  for (const header of rest) {
    const at = header.indexOf(':')
    headers[header.slice(0, at).toLowerCase()] = header.slice(at + 1).trim()
  }
  const length = Number(headers['content-length'] ?? 0)
  const whole = end + 4 + length
  if (received.length < whole) return undefined
  const [method = '', target = ''] = line.split(' ')
  const bytes = received.subarray(0, whole)
  return { method, target, headers, body: bytes.subarray(end + 4), bytes }
}

/** Starts a server on 127.0.0.1. */
export async function startRawHttp(answer: RawAnswer): Promise<RawHttpServer> {
  const requests: RawRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    let received = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      for (let next = parse(received); next !== undefined; next = parse(received)) {
        received = received.subarray(next.bytes.length)
        requests.push(next)
        running.answer(socket, next)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const running = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get connections() {
      return connections
    },
    answer,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return running
}
