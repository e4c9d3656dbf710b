/** What cases run on: a transport of each kind that they need, and one server for all, in plain text and over TLS. */
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
import type { TransportName } from '../bench.ts'
import { Echo } from '../echo-service.ts'
import type { Coding, Connection } from './dimensions.ts'

/** Brotli's default takes a second for the longest messages. */
export const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
/** The longest message that is read. */
export const READ_MAX_BYTES = 300_000
/** What is sent is compressed quickly: what each transport reads with is its own. */
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

/** The bench of one transport. */
export interface CaseBench {
  readonly name: TransportName
  /** One for all cases that ask for the same. */
  client(connection: Connection, coding: Coding): StreamClient<typeof Echo>
  /** The call that has this name in its header `x-call`, from the server's side. */
  arrived(name: string): Promise<ServerCall>
  /** Whether the server has seen a call of this name. */
  hasArrived(name: string): boolean
  close(): Promise<void>
}

/** @param answer - Answers the calls without a name. */
export async function createCaseBench(name: TransportName, answer: Handler): Promise<CaseBench> {
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
    if (header === undefined) return answer(call)
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
