/**
 * HTTP/2 server in front of the services. It collects the raw request body and verifies its signature over
 * exactly the received bytes before the RPC library gets it. The RPC library writes framing, compression and
 * trailers. It is another implementation than the client's, so that the two are tested against each other.
 */
import {
  constants,
  createSecureServer,
  createServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2'
import { ModuleEventService, TradeEventService } from '@brokerwire/protos'
import { createConnectRouter, createContextValues } from '@connectrpc/connect'
import type { UniversalHandler, UniversalServerResponse } from '@connectrpc/connect/protocol'
import { MAX_HEAD_BYTES } from '../receive-body.ts'
import type { TlsOptions } from '../tls/tls-options.ts'
import { COMPRESSIONS } from './compression.ts'
import { applyFrameFault } from './frame-fault.ts'
import { type ReceivedRpc, type RpcInput, receiveRpc } from './receive-rpc.ts'
import { RPC_CONTEXT } from './rpc-context.ts'
import { type ServiceContext, subscribeModule, subscribeTrade } from './services.ts'
import type { StreamService } from './subscription-fault.ts'
import { writeResponse } from './write-response.ts'

/** Dependencies of the server. */
export interface GrpcServerContext extends ServiceContext, Omit<RpcInput, 'request' | 'response'> {
  readonly tls: TlsOptions | undefined
}

/** An HTTP/2 server that does not listen yet. */
export interface GrpcServer {
  readonly server: Http2Server
  /** Sends GOAWAY on each session. @returns Number of sessions. */
  goaway(http2Code: number): number
  /** Closes each session after its streams have ended. */
  closeSessions(): void
  /** Destroys each session. */
  destroySessions(): void
}

const INTERNAL_ERROR = constants.NGHTTP2_INTERNAL_ERROR

/** @param services - Services of this server. Requests to other paths get 404. */
export function createGrpcServer(context: GrpcServerContext, services: readonly StreamService[]): GrpcServer {
  const router = createConnectRouter({
    grpcWeb: false,
    connect: false,
    acceptCompression: [...COMPRESSIONS],
    readMaxBytes: context.maxRequestBytes,
  })
  if (services.includes('trade')) {
    router.service(TradeEventService, { subscribe: subscribeTrade(context) })
  }
  if (services.includes('module')) {
    router.service(ModuleEventService, { subscribe: subscribeModule(context) })
  }
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]))

  const { tls } = context
  const options = { settings: { maxHeaderListSize: MAX_HEAD_BYTES } }
  const server =
    tls === undefined
      ? createServer(options)
      : (createSecureServer({ ...tls, ...options }) as unknown as Http2Server)
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    // Errors of a session are ignored, because the client or an injected fault causes them.
    session.on('error', () => undefined)
  })
  server.on('sessionError', () => undefined)
  const serve = async (
    handler: UniversalHandler,
    request: Http2ServerRequest,
    response: Http2ServerResponse,
  ): Promise<void> => {
    const rpc = await receiveRpc({ ...context, request, response })
    if (rpc === undefined) return
    const answer = await handler({
      httpVersion: request.httpVersion,
      method: request.method,
      url: `http://simulator${request.url}`,
      header: rpc.header,
      body: rpc.body(),
      signal: rpc.signal,
      contextValues: createContextValues().set(RPC_CONTEXT, rpc.context),
    })
    answer.header?.set('x-request-id', rpc.context.requestId)
    answer.header?.set('date', new Date(rpc.context.nowMs).toUTCString())
    await writeResponse(applyFaults(answer, rpc), response)
  }
  server.on('request', (request, response) => {
    const handler = handlers.get(getPath(request))
    if (handler === undefined) {
      response.writeHead(404, { date: new Date(context.clock.now()).toUTCString() })
      response.end()
      return
    }
    const { stream } = response
    serve(handler, request, response).catch(() => {
      // In most cases the client has disconnected or the stream was reset, so that no response can be sent.
      if (!stream.destroyed) stream.close(INTERNAL_ERROR)
    })
  })

  return {
    server,
    goaway(http2Code) {
      for (const session of sessions) session.goaway(http2Code)
      return sessions.size
    },
    closeSessions() {
      for (const session of sessions) session.close()
    },
    destroySessions() {
      for (const session of sessions) session.destroy()
    },
  }
}

function getPath(request: Http2ServerRequest): string {
  return request.url.split('?', 1)[0] ?? ''
}

/** Applies pending frame faults to the data frames of the response. */
function applyFaults(answer: UniversalServerResponse, rpc: ReceivedRpc): UniversalServerResponse {
  const { body } = answer
  return body === undefined ? answer : { ...answer, body: faultyBody(body, rpc) }
}

async function* faultyBody(body: AsyncIterable<Uint8Array>, rpc: ReceivedRpc): AsyncGenerator<Uint8Array> {
  for await (const frame of body) {
    const fault = rpc.subscription()?.takeFrameFault()
    if (fault === undefined) {
      yield frame
      continue
    }
    const { chunks, thenReset } = applyFrameFault(fault, frame)
    yield* chunks
    if (thenReset) {
      rpc.context.reset(INTERNAL_ERROR)
      return
    }
  }
}
