/**
 * A server of nothing but sockets that counts how often each request arrives, byte for byte: what a host repeats by
 * itself no layer above sees. Answers as the query asks: `s` a status, `end` a way to end without an answer, `close`
 * ends the connection after the answer. `/seen` tells what came. Node only.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Arrivals } from './wire-cases.ts'

/** A page in a browser may ask as well. */
const CORS = [
  'access-control-allow-origin: *',
  'access-control-allow-headers: *',
  'access-control-allow-methods: GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-max-age: 600',
]
const WITHOUT_BODY = new Set([204, 304])

interface Arrival {
  readonly method: string
  readonly url: URL
  readonly head: string
  readonly body: string
  /** Which request of its connection it is, from 1. */
  readonly place: number
}

/** Cuts what a socket receives into requests. */
function readRequests(socket: Socket, arrived: (arrival: Arrival) => void): void {
  let buffer = Buffer.alloc(0)
  let place = 0
  socket.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk])
    for (;;) {
      const end = buffer.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = buffer.subarray(0, end).toString('latin1')
      const start = end + 4
      const isChunked = /\r\ntransfer-encoding: *chunked/i.test(head)
      const last = isChunked ? buffer.indexOf('0\r\n\r\n', start) : -1
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
      const total = isChunked ? last + 5 : start + length
      if (buffer.length < total || (isChunked && last < 0)) return
      const body = buffer.subarray(start, total).toString('latin1')
      buffer = buffer.subarray(total)
      place += 1
      const [method = '', target = '/'] = head.split(' ', 2)
      arrived({ method, url: new URL(target, 'http://wire'), head, body, place })
    }
  })
}

function answer(socket: Socket, { method, url }: Arrival, defaultStatus: number): void {
  const end = url.searchParams.get('end')
  if (end === 'fin') socket.end()
  else if (end === 'reset') socket.resetAndDestroy()
  else if (end === 'half') socket.end('HTTP/1.1 200 OK\r\nx-')
  else if (end === 'noise') socket.end('\0\0\0\0')
  if (end !== null) return
  const status = Number(url.searchParams.get('s') ?? defaultStatus)
  const closes = url.searchParams.has('close')
  const body = WITHOUT_BODY.has(status) || method === 'HEAD' ? '' : '{}'
  const head = [
    `HTTP/1.1 ${status} Some`,
    ...CORS,
    ...(status === 401 ? ['www-authenticate: Basic realm="wire"'] : []),
    ...(status === 407 ? ['proxy-authenticate: Basic realm="wire"'] : []),
    ...(closes ? ['connection: close'] : []),
    ...(WITHOUT_BODY.has(status) ? [] : ['content-length: 2']),
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  if (closes) socket.end()
}

/** A running server. */
export interface WireServer {
  readonly url: string
  close(): Promise<void>
}

/** Starts the server. `defaultStatus`: of requests whose query asks for nothing. */
export async function startWireServer(defaultStatus = 200): Promise<WireServer> {
  const seen: Record<string, { times: number; place: number; framing: string; body: string }> = {}
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    readRequests(socket, (arrival) => {
      const { method, url, head, body, place } = arrival
      const respond = (text: string): void => {
        const lines = ['HTTP/1.1 200 OK', ...CORS, `content-length: ${Buffer.byteLength(text)}`]
        socket.write(`${lines.join('\r\n')}\r\n\r\n${text}`)
      }
      if (method === 'OPTIONS') return respond('')
      if (url.pathname === '/seen') return respond(JSON.stringify(seen satisfies Arrivals))
      const id = url.searchParams.get('id') ?? ''
      const framing = /\r\ntransfer-encoding:/i.test(head)
        ? 'chunked'
        : /\r\ncontent-length:/i.test(head)
          ? 'length'
          : 'none'
      seen[id] = { times: (seen[id]?.times ?? 0) + 1, place, framing, body }
      answer(socket, arrival, defaultStatus)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
