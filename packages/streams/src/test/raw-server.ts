/**
 * A gRPC server on bare `node:http2`: what it saw is what was on the wire, byte for byte.
 *
 * It knows no protobuf runtime's idea of a request: the tests look at the raw body, and decide what is answered.
 */
import { createServer, type Http2Session, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'

/** One call, under the test's hand. */
export interface RawCall {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The request's body as received: gRPC envelopes and all. */
  readonly body: Buffer
  readonly stream: ServerHttp2Stream
  /** HTTP/2 error code with which the client reset the stream, or 0. */
  readonly closed: Promise<number>
  send(...messages: readonly Uint8Array[]): void
  end(status?: number, message?: string): void
}

/** The server. */
export interface RawServer {
  readonly url: string
  /** Calls that came in, in order. */
  readonly calls: readonly RawCall[]
  /** The next call that nobody took. */
  call(): Promise<RawCall>
  /** Destroys every connection. */
  drop(): void
  close(): Promise<void>
}

/** A message in its gRPC envelope. */
function envelope(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

/** Starts a server on 127.0.0.1. */
export async function startRawServer(): Promise<RawServer> {
  const server = createServer()
  const sessions = new Set<Http2Session>()
  const calls: RawCall[] = []
  const untaken: RawCall[] = []
  const waiters: ((call: RawCall) => void)[] = []
  server.on('session', (session) => {
    sessions.add(session)
    session.on('error', () => {})
    session.on('close', () => sessions.delete(session))
  })
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = []
    stream.on('error', () => {})
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      // A request that was given up before its message was written is no call.
      if (chunks.length === 0) return
      const call = makeCall(stream, headers, Buffer.concat(chunks))
      calls.push(call)
      const waiter = waiters.shift()
      if (waiter === undefined) untaken.push(call)
      else waiter(call)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const drop = (): void => {
    for (const session of sessions) session.destroy()
  }
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    call() {
      const call = untaken.shift()
      return call === undefined ? new Promise((resolve) => waiters.push(resolve)) : Promise.resolve(call)
    },
    drop,
    close() {
      drop()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function makeCall(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, body: Buffer): RawCall {
  const trailers = { 'grpc-status': '0', 'grpc-message': '' }
  stream.on('wantTrailers', () => stream.sendTrailers(trailers))
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  return {
    path: String(headers[':path']),
    headers,
    body,
    stream,
    closed: new Promise((resolve) => stream.on('close', () => resolve(stream.rstCode ?? 0))),
    send(...messages) {
      stream.write(Buffer.concat(messages.map(envelope)))
    },
    end(status = 0, message = '') {
      trailers['grpc-status'] = String(status)
      trailers['grpc-message'] = encodeURIComponent(message)
      stream.end()
    },
  }
}
