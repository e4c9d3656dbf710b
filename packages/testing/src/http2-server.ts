/**
 * A server on `node:http2` that sends any response that a test needs, also an invalid one. It records
 * connections and streams, and how each of them ended.
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
import { texts } from './grpc-envelope.ts'
import { listenLocally } from './listen.ts'
import { createQueue } from './queue.ts'

/** A call. It starts when the headers have arrived. */
export interface ServerCall {
  readonly headers: IncomingHttpHeaders
  readonly stream: ServerHttp2Stream
  readonly session: ServerHttp2Session
  /** Resolves to the complete request body when the client has ended it. */
  readonly body: Promise<Buffer>
  /** Resolves to the HTTP/2 error code with which the stream ended; 0 for a normal end. */
  readonly closed: Promise<number>
  /** Sends the response's headers: by default status 200 and gRPC's content type. */
  respond(headers?: OutgoingHttpHeaders): void
  /** Sends `StringValue` messages, after the headers. */
  send(...values: readonly string[]): void
  /** Sends bytes of the body, after the headers. */
  write(bytes: Uint8Array): void
  /** Ends the response with these trailers. `null` sends no trailers. */
  end(trailers?: OutgoingHttpHeaders | null): void
  /** Sends the whole response in one HEADERS frame. */
  trailersOnly(headers: OutgoingHttpHeaders): void
}

/** The server. */
export interface TestServer {
  readonly url: string
  readonly port: number
  /** Open connections. */
  readonly sessions: ReadonlySet<ServerHttp2Session>
  /** Number of connections so far. */
  readonly connections: number
  /** Number of open streams. */
  readonly openStreams: number
  /**
   * Returns the next call that this method has not returned, or waits for one. Only for servers without a
   * handler.
   */
  call(): Promise<ServerCall>
  /** Destroys every connection. */
  drop(): void
  close(): Promise<void>
}

/** Responds to a call. */
export type Handler = (call: ServerCall) => void | Promise<void>

/** Options of the server. */
export interface ServerOptions {
  /** @defaultValue the test gets calls with `call()` and responds to them */
  readonly handler?: Handler | undefined
  readonly tls?: SecureServerOptions | undefined
  /** @defaultValue 100 */
  readonly maxConcurrentStreams?: number | undefined
  /** Path of a Unix socket. @defaultValue a free port of 127.0.0.1 */
  readonly path?: string | undefined
}

/** Starts the server. */
export async function startHttp2Server(options: ServerOptions = {}): Promise<TestServer> {
  const { handler, tls, maxConcurrentStreams = 100, path } = options
  const settings = { maxConcurrentStreams }
  const server = tls === undefined ? createServer({ settings }) : createSecureServer({ settings, ...tls })
  const sessions = new Set<ServerHttp2Session>()
  const calls = createQueue<ServerCall>()
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
    const call = createCall(stream, headers)
    if (handler === undefined) calls.push(call)
    else Promise.resolve(handler(call)).catch((error: unknown) => stream.destroy(error as Error))
  })
  const { port, close } = await listenLocally(server, path)
  const drop = (): void => {
    for (const session of sessions) session.destroy()
  }
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
    call: () => calls.next(),
    drop,
    close() {
      drop()
      return close()
    },
  }
}

function createCall(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): ServerCall {
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
    // An open stream always has a session.
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
