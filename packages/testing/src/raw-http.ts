/**
 * An HTTP/1.1 server on plain TCP. A test writes every byte of its responses and reads every byte of the
 * requests.
 */
import { createServer, type Socket } from 'node:net'
import { listenLocally } from './listen.ts'

/** A complete request as it was received. */
export interface RawRequest {
  readonly method: string
  readonly target: string
  /** Headers by name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as it was received, including the chunk sizes of a chunked body. */
  readonly body: Buffer
  /** All bytes of the request. */
  readonly bytes: Buffer
  /** The number of the request on its connection, counted from 1. */
  readonly ordinal: number
}

/** Responds to a request on its connection. */
export type RawAnswer = (socket: Socket, request: RawRequest) => void

/** The server. */
export interface RawHttpServer {
  readonly url: string
  readonly requests: readonly RawRequest[]
  answer: RawAnswer
  close(): Promise<void>
}

const LAST_CHUNK = '0\r\n\r\n'

/** Returns the request at the start of the received bytes; `undefined` if it is not complete yet. */
function parse(received: Buffer, ordinal: number): RawRequest | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [line = '', ...rest] = received.subarray(0, end).toString('latin1').split('\r\n')
  const headers: Record<string, string> = Object.create(null)
  for (const header of rest) {
    const at = header.indexOf(':')
    headers[header.slice(0, at).toLowerCase()] = header.slice(at + 1).trim()
  }
  const bodyStart = end + 4
  let bodyEnd = bodyStart + Number(headers['content-length'] ?? 0)
  if (headers['transfer-encoding']?.toLowerCase() === 'chunked') {
    const last = received.indexOf(LAST_CHUNK, bodyStart)
    if (last < 0) return undefined
    bodyEnd = last + LAST_CHUNK.length
  }
  if (received.length < bodyEnd) return undefined
  const [method = '', target = ''] = line.split(' ')
  const bytes = received.subarray(0, bodyEnd)
  return { method, target, headers, body: bytes.subarray(bodyStart), bytes, ordinal }
}

/** Starts a server on 127.0.0.1. */
export async function startRawHttp(answer: RawAnswer): Promise<RawHttpServer> {
  const requests: RawRequest[] = []
  const server = createServer((socket) => {
    let received = Buffer.alloc(0)
    let ordinal = 1
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      for (let next = parse(received, ordinal); next !== undefined; next = parse(received, ordinal)) {
        received = received.subarray(next.bytes.length)
        ordinal += 1
        requests.push(next)
        running.answer(socket, next)
      }
    })
  })
  const { port, close } = await listenLocally(server)
  const running: RawHttpServer = { url: `http://127.0.0.1:${port}`, requests, answer, close }
  return running
}
