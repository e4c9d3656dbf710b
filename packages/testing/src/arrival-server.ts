/**
 * A server that counts how often it received each request. A `fetch` may send a request twice by itself, which
 * only a server can see. `/seen` returns the counts.
 *
 * The query of a request selects the response:
 * - `s`: the status;
 * - `end`: a way to close the connection without a complete response;
 * - `close`: closes the connection after the response.
 */
import type { Socket } from 'node:net'
import { type RawRequest, startRawHttp } from './raw-http.ts'

/** The received requests, by the `id` of their query. */
export type Arrivals = Readonly<
  Record<
    string,
    { readonly times: number; readonly ordinal: number; readonly framing: string; readonly body: string }
  >
>

/** A running server. */
export interface ArrivalServer {
  readonly url: string
  close(): Promise<void>
}

/** Headers that allow pages in a browser to send requests too. */
const CORS = [
  'access-control-allow-origin: *',
  'access-control-allow-headers: *',
  'access-control-allow-methods: GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-max-age: 600',
]
const WITHOUT_BODY = new Set([204, 304])

function framingOf({ headers }: RawRequest): string {
  if ('transfer-encoding' in headers) return 'chunked'
  return 'content-length' in headers ? 'length' : 'none'
}

function answer(socket: Socket, method: string, query: URLSearchParams, defaultStatus: number): void {
  const end = query.get('end')
  if (end === 'fin') socket.end()
  else if (end === 'reset') socket.resetAndDestroy()
  else if (end === 'half') socket.end('HTTP/1.1 200 OK\r\nx-')
  else if (end === 'noise') socket.end('\0\0\0\0')
  if (end !== null) return
  const status = Number(query.get('s') ?? defaultStatus)
  const closes = query.has('close')
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

/**
 * Starts the server.
 *
 * @param defaultStatus - Status of the response if the query of the request selects none.
 */
export async function startArrivalServer(defaultStatus = 200): Promise<ArrivalServer> {
  const seen: Record<string, Arrivals[string]> = {}
  return startRawHttp((socket, request) => {
    const { method, target, body, ordinal } = request
    const { pathname, searchParams } = new URL(target, 'http://wire')
    const respond = (text: string): void => {
      const lines = ['HTTP/1.1 200 OK', ...CORS, `content-length: ${Buffer.byteLength(text)}`]
      socket.write(`${lines.join('\r\n')}\r\n\r\n${text}`)
    }
    if (method === 'OPTIONS') return respond('')
    if (pathname === '/seen') return respond(JSON.stringify(seen))
    const id = searchParams.get('id') ?? ''
    const times = (seen[id]?.times ?? 0) + 1
    seen[id] = { times, ordinal, framing: framingOf(request), body: body.toString('latin1') }
    answer(socket, method, searchParams, defaultStatus)
  })
}
