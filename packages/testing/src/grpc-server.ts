/** A gRPC server that records each request as it was received, byte for byte. It decodes no messages. */
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { envelope } from './grpc-envelope.ts'
import { startHttp2Server } from './http2-server.ts'
import { createQueue } from './queue.ts'

/** A call whose request is complete and whose response headers have been sent. */
export interface GrpcServerCall {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The request's body as received, with the gRPC prefixes. */
  readonly body: Buffer
  readonly stream: ServerHttp2Stream
  /** Resolves to the HTTP/2 error code with which the client reset the stream; 0 without a reset. */
  readonly closed: Promise<number>
  send(...messages: readonly Uint8Array[]): void
  end(status?: number, message?: string): void
}

/** The server. */
export interface GrpcServer {
  readonly url: string
  /** All calls so far, in order. */
  readonly calls: readonly GrpcServerCall[]
  /** Returns the next call that this method has not returned, or waits for one. */
  call(): Promise<GrpcServerCall>
  /** Destroys every connection. */
  drop(): void
  close(): Promise<void>
}

/** Starts a server on 127.0.0.1. */
export async function startGrpcServer(): Promise<GrpcServer> {
  const calls: GrpcServerCall[] = []
  const queue = createQueue<GrpcServerCall>()
  const { url, drop, close } = await startHttp2Server({
    async handler({ headers, stream, body, closed, respond, write, end }) {
      const received = await body
      // A request that was aborted before its message was written does not count as a call.
      if (received.length === 0) return
      respond()
      const call: GrpcServerCall = {
        path: String(headers[':path']),
        headers,
        body: received,
        stream,
        closed,
        send: (...messages) => write(Buffer.concat(messages.map((message) => envelope(message)))),
        end: (status = 0, message = '') =>
          end({ 'grpc-status': String(status), 'grpc-message': encodeURIComponent(message) }),
      }
      calls.push(call)
      queue.push(call)
    },
  })
  return { url, calls, call: () => queue.next(), drop, close }
}
