/** Clients of one of the two transports and servers for tests of transports. `close()` closes all of them. */
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import {
  type Handler,
  type ServerOptions,
  startHttp2Server,
  type TestServer,
} from '@brokerwire/testing/http2-server'
import {
  type Script,
  startWireServer,
  type WireOptions,
  type WireServer,
} from '@brokerwire/testing/raw-http2'
import { type ConnectRouter, createClient, type Interceptor, type Transport } from '@connectrpc/connect'
import type { Compression } from '@connectrpc/connect/protocol'
import { connectNodeAdapter, createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node'
import { createStreamClient, type StreamClient } from '../../transport/create-stream-client.ts'
import { createStreamTransport } from '../../transport/create-stream-transport.ts'
import { Echo } from './echo-service.ts'

/** The transports under test. */
export const TRANSPORTS = ['ours', 'connect-node'] as const
export type TransportName = (typeof TRANSPORTS)[number]

/** Options that both transports have. */
export interface CommonOptions {
  readonly interceptors?: Interceptor[]
  readonly defaultTimeoutMs?: number
  readonly acceptCompression?: Compression[]
  readonly sendCompression?: Compression
  readonly compressMinBytes?: number
  readonly readMaxBytes?: number
  readonly writeMaxBytes?: number
}

/** Creates the clients and servers of one test. */
export interface Harness {
  readonly name: TransportName
  transport(url: string, options?: CommonOptions): Transport
  /** Creates a client whose call is cancelled at a `break`. */
  client(url: string, options?: CommonOptions): StreamClient<typeof Echo>
  /** Creates Connect's own client. */
  connectClient(url: string, options?: CommonOptions): ReturnType<typeof createClient<typeof Echo>>
  /** Starts Connect's own server. */
  router(routes: (router: ConnectRouter) => void): Promise<string>
  /** Starts a server with a handler for its calls. */
  server(handler?: Handler, options?: Omit<ServerOptions, 'handler'>): Promise<TestServer>
  /** Starts a server that writes raw HTTP/2 frames. */
  wire(script: Script, options?: WireOptions): Promise<WireServer>
  /** Number of open streams at its servers. */
  readonly openStreams: number
  /** Closes the transports, then the servers. */
  close(): Promise<void>
}

/** Creates a harness without clients and servers. */
export function createHarness(name: TransportName): Harness {
  const clients: (() => void)[] = []
  const servers: (() => Promise<void>)[] = []
  const counting: TestServer[] = []
  const transport = (baseUrl: string, options: CommonOptions = {}): Transport => {
    if (name === 'ours') {
      const made = createStreamTransport({ baseUrl, ...options })
      clients.push(() => made.close())
      return made
    }
    const sessionManager = new Http2SessionManager(new URL(baseUrl).origin)
    clients.push(() => sessionManager.abort())
    return createGrpcTransport({ baseUrl, sessionManager, ...options })
  }
  return {
    name,
    transport,
    client: (url, options) => createStreamClient(Echo, transport(url, options)),
    connectClient: (url, options) => createClient(Echo, transport(url, options)),
    async router(routes) {
      const server = createServer(connectNodeAdapter({ routes, connect: false, grpcWeb: false }))
      const sessions = new Set<{ destroy(): void }>()
      server.on('session', (session) => {
        sessions.add(session)
        session.on('close', () => sessions.delete(session))
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      servers.push(() => {
        for (const session of sessions) session.destroy()
        return new Promise((resolve) => server.close(() => resolve()))
      })
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    async server(handler, options) {
      const server = await startHttp2Server({ ...options, handler })
      counting.push(server)
      servers.push(() => server.close())
      return server
    },
    async wire(script, options) {
      const server = await startWireServer(script, options)
      servers.push(() => server.close())
      return server
    },
    get openStreams() {
      return counting.reduce((sum, { openStreams }) => sum + openStreams, 0)
    },
    async close() {
      for (const end of clients) end()
      await Promise.all(servers.map((end) => end()))
    },
  }
}
