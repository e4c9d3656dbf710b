/**
 * Where a subscription gets its transport from.
 *
 * By default each attempt has a connection of its own: a half-open one is never used again, a subscription whose
 * consumer is slow does not hold up another one's flow-control window, and nothing keeps the process alive after the
 * last stream. Any other Connect `Transport` fits through {@link ConnectionFactory}.
 */
import { type InferFields, omit, readOptions, readOrigin } from '@brokerwire/core/internal'
import type { Transport } from '@connectrpc/connect'
import { optionInvalid } from '../streams-error.ts'
import { streamTransport } from '../transport/create-stream-transport.ts'
import { requireOneWay, STREAM_TRANSPORT_OPTIONS, type StreamTransportOptions } from '../transport/options.ts'
import { PingPace } from '../transport/ping-watch.ts'

/** A transport, and how to let go of it. */
export interface StreamConnection {
  readonly transport: Transport
  /** Called once, after the stream was cancelled. */
  close(): void
}

/** Where a service is reached. */
export interface ServiceTarget {
  /** `host:port`, if it is known. */
  readonly host: string | undefined
  /** The origin; `undefined` if a transport of the caller has the address. */
  readonly origin?: string | undefined
  open(): StreamConnection
}

/**
 * Opens a connection for one attempt.
 *
 * @param baseUrl - For example `'https://events-api.example.com'`.
 */
export type ConnectionFactory = (baseUrl: string) => StreamConnection

/** Options of the default connections: those of `createStreamTransport`, without the address. */
export type GrpcConnectionOptions = Omit<StreamTransportOptions, 'baseUrl'>

const GRPC_CONNECTION_OPTIONS = omit(STREAM_TRANSPORT_OPTIONS, 'baseUrl')

/** Schemas of the option `connection`. */
export const CONNECTION_OPTIONS = omit(GRPC_CONNECTION_OPTIONS, 'allowInsecure')

/**
 * Connections over the transport of this package, with keep-alive.
 *
 * @throws StreamsError `STREAM_OPTION_INVALID`, also the factory for an address that is no origin.
 */
export function grpcConnections(input?: GrpcConnectionOptions | undefined): ConnectionFactory {
  return createConnections(readOptions(optionInvalid, input ?? {}, GRPC_CONNECTION_OPTIONS, 'connection'))
}

/** The same, from options that were read. */
export function createConnections(read: InferFields<typeof GRPC_CONNECTION_OPTIONS>): ConnectionFactory {
  requireOneWay(read, 'connection.')
  // Connections come and go: what a target taught about PINGs stays.
  const paces = new Map<string, PingPace>()
  return (baseUrl) => {
    const origin = readOrigin(optionInvalid, 'baseUrl', baseUrl, read.allowInsecure)
    const settings = { ...read, baseUrl: new URL(origin) }
    const pace = paces.get(origin) ?? new PingPace(settings.keepAlive)
    paces.set(origin, pace)
    const transport = streamTransport(settings, pace)
    return { transport, close: () => transport.close() }
  }
}
