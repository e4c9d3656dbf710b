/**
 * A server on bare `node:http2` that answers whatever a test wants, the wrong things too, and tells what it saw: which
 * connections and streams there were, and how each of them ended.
 */
import {
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { texts } from './envelopes.ts'

/** One call, from its headers on. */
export interface ServerCall {
  readonly headers: IncomingHttpHeaders
  readonly stream: ServerHttp2Stream
  readonly session: ServerHttp2Session
  /** The whole request body, once the client ended it. */
  readonly body: Promise<Buffer>
  /** The HTTP/2 code with which the stream ended, 0 for a regular end. */
  readonly closed: Promise<number>
  /** The response's head; status 200 and gRPC's content type unless told otherwise. */
  respond(headers?: OutgoingHttpHeaders): void
  /** Messages; the head goes before them. */
  send(...values: readonly string[]): void
  /** Bytes of the body; the head goes before them. */
  write(bytes: Uint8Array): void
  /** The end, with these trailers; `null` for none at all. */
  end(trailers?: OutgoingHttpHeaders | null): void
  /** The whole response in one HEADERS frame. */
  trailersOnly(headers: OutgoingHttpHeaders): void
}

/** The server. */
export interface TestServer {
  readonly url: string
  readonly port: number
  /** Connections that are open. */
  readonly sessions: ReadonlySet<ServerHttp2Session>
  /** Connections that there have been. */
  readonly connections: number
  /** Streams that are open. */
  readonly openStreams: number
  /** The next call that nobody took. Not for servers with a handler. */
  call(): Promise<ServerCall>
  close(): Promise<void>
}

/** What answers calls: all of them, or nobody but the test. */
export type Handler = (call: ServerCall) => void | Promise<void>

/** Options of the server. */
export interface ServerOptions {
  readonly handler?: Handler | undefined
  readonly tls?: SecureServerOptions | undefined
  readonly maxConcurrentStreams?: number | undefined
  /** A Unix socket's path. @defaultValue a free port of 127.0.0.1 */
  readonly path?: string | undefined
}

/** Starts it. */
export async function startHttp2Server(options: ServerOptions = {}): Promise<TestServer> {
  const { handler, tls, maxConcurrentStreams, path } = options
  const settings = { maxConcurrentStreams: maxConcurrentStreams ?? 100 }
  const server = tls === undefined ? createServer({ settings }) : createSecureServer({ settings, ...tls })
  const sessions = new Set<ServerHttp2Session>()
  const untaken: ServerCall[] = []
  const waiters: ((call: ServerCall) => void)[] = []
  let connections = 0
  let openStreams = 0
  server.on('session', (session) => {
    connections++
    sessions.add(session)
    session.on('error', () => {})
    session.on('close', () => sessions.delete(session))
  })
  server.on('sessionError', () => {})
  server.on('tlsClientError', () => {})
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    openStreams++
    stream.on('close', () => openStreams--)
    const call = callOf(stream, headers)
    if (handler !== undefined) {
      Promise.resolve(handler(call)).catch((error: unknown) => stream.destroy(error as Error))
      return
    }
    const waiter = waiters.shift()
    if (waiter === undefined) untaken.push(call)
    else waiter(call)
  })
  await new Promise<void>((resolve) => {
    if (path === undefined) server.listen(0, '127.0.0.1', resolve)
    else server.listen(path, resolve)
  })
  const port = path === undefined ? (server.address() as AddressInfo).port : 0
  return {
    url: `http${tls === undefined ? '' : 's'}://127.0.0.1:${port}`,
    port,
    sessions,
    get connections() {
      return connections
    },
    get openStreams() {
      return openStreams
    },
    call() {
      const call = untaken.shift()
      return call === undefined ? new Promise((resolve) => waiters.push(resolve)) : Promise.resolve(call)
    },
    close() {
      for (const session of sessions) session.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function callOf(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): ServerCall {
  const chunks: Buffer[] = []
  let trailers: OutgoingHttpHeaders = {}
  stream.on('error', () => {})
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  stream.on('wantTrailers', () => stream.sendTrailers(trailers))
  const closed = new Promise<number>((resolve) => stream.on('close', () => resolve(stream.rstCode ?? 0)))
  const body = new Promise<Buffer>((resolve) => stream.on('end', () => resolve(Buffer.concat(chunks))))
  const respond = (more: OutgoingHttpHeaders = {}, waitForTrailers = true): void => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...more }, { waitForTrailers })
  }
  const opened = (): void => {
    if (!stream.headersSent) respond()
  }
  return {
    headers,
    stream,
    // A stream that is there has a session.
    session: stream.session as ServerHttp2Session,
    body,
    closed,
    respond,
    send(...values) {
      opened()
      stream.write(texts(...values))
    },
    write(bytes) {
      opened()
      stream.write(bytes)
    },
    end(fields = {}) {
      if (fields === null) {
        if (!stream.headersSent) respond({}, false)
        stream.end()
        return
      }
      opened()
      trailers = { 'grpc-status': '0', ...fields }
      stream.end()
    },
    trailersOnly(fields) {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...fields }, { endStream: true })
    },
  }
}
