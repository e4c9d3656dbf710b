/** Clients and servers for all cases: a client for each connection and content coding, a server in plain text and one over TLS. */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { createSelfSignedCertificate } from '@brokerwire/simulator'
import { type Handler, type ServerCall, startHttp2Server } from '@brokerwire/testing/http2-server'
import type { Transport } from '@connectrpc/connect'
import {
  compressionBrotli,
  compressionGzip,
  createGrpcTransport,
  Http2SessionManager,
} from '@connectrpc/connect-node'
import { brotliCompression, gzipCompression } from '../../../transport/compression.ts'
import { createStreamClient, type StreamClient } from '../../../transport/create-stream-client.ts'
import { createStreamTransport } from '../../../transport/create-stream-transport.ts'
import { Echo } from '../echo-service.ts'
import type { TransportName } from '../harness.ts'
import type { Coding, Connection } from './dimensions.ts'

/** Brotli's default takes a second for the longest messages. */
export const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
/** Limit of the length of a received message. */
export const READ_MAX_BYTES = 300_000
/** Fast compression of the requests. Each transport decompresses with its own functions. */
const SENT = {
  identity: undefined,
  gzip: {
    ...gzipCompression,
    compress: async (bytes: Uint8Array) => new Uint8Array(gzipSync(bytes, { level: 1 })),
  },
  br: {
    ...brotliCompression,
    compress: async (bytes: Uint8Array) => new Uint8Array(brotliCompressSync(bytes, FAST)),
  },
}

/** The clients and servers of one transport. */
export interface CaseHarness {
  readonly name: TransportName
  /** Returns the client that all cases with these values share. */
  client(connection: Connection, coding: Coding): StreamClient<typeof Echo>
  /** Waits for the call with this name in its header `x-call`, and returns its server side. */
  arrived(name: string): Promise<ServerCall>
  /** Whether the server has received a call with this name. */
  hasArrived(name: string): boolean
  close(): Promise<void>
}

/** Starts the servers. @param respond - Handles the calls without a name. */
export async function createCaseHarness(name: TransportName, respond: Handler): Promise<CaseHarness> {
  const certificate = createSelfSignedCertificate()
  const waiting = new Map<string, PromiseWithResolvers<ServerCall>>()
  const seen = new Set<string>()
  const named = (call: string): PromiseWithResolvers<ServerCall> => {
    const found = waiting.get(call) ?? withResolvers()
    waiting.set(call, found)
    return found
  }
  const handler: Handler = (call) => {
    const { 'x-call': header } = call.headers
    if (header === undefined) return respond(call)
    seen.add(String(header))
    named(String(header)).resolve(call)
  }
  const servers = {
    plain: await startHttp2Server({ handler }),
    tls: await startHttp2Server({ handler, tls: certificate }),
  }
  const clients = new Map<string, StreamClient<typeof Echo>>()
  const closers: (() => void)[] = []
  const transport = (baseUrl: string, coding: Coding): Transport => {
    const options = { baseUrl, readMaxBytes: READ_MAX_BYTES, compressMinBytes: 0 }
    if (name === 'ours') {
      const tls = { ca: certificate.cert }
      const made = createStreamTransport({ ...options, tls, sendCompression: SENT[coding] })
      closers.push(() => made.close())
      return made
    }
    const sessionManager = new Http2SessionManager(baseUrl, {}, { ca: certificate.cert })
    closers.push(() => sessionManager.abort())
    const sendCompression = SENT[coding]
    return createGrpcTransport({
      ...options,
      sessionManager,
      acceptCompression: [compressionGzip, compressionBrotli],
      ...(sendCompression && { sendCompression }),
    })
  }
  return {
    name,
    client(connection, coding) {
      const key = `${connection} ${coding}`
      const client = clients.get(key) ?? createStreamClient(Echo, transport(servers[connection].url, coding))
      clients.set(key, client)
      return client
    },
    arrived: (call) => named(call).promise,
    hasArrived: (call) => seen.has(call),
    async close() {
      for (const close of closers) close()
      await Promise.all(Object.values(servers).map((server) => server.close()))
    },
  }
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
}

function withResolvers<T>(): PromiseWithResolvers<T> {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
