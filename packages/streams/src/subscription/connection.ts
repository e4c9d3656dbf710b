/**
 * The connections of subscriptions.
 *
 * By default each attempt has a separate connection. So a half-open connection is never reused, a slow consumer does not fill
 * the flow-control window of another subscription, and nothing keeps the process alive after the last stream. A
 * {@link ConnectionFactory} can return any other Connect `Transport`.
 */
import { type InferFields, omit, readOptions, readOrigin } from '@brokerwire/core/internal'
import type { Transport } from '@connectrpc/connect'
import { optionInvalid } from '../streams-error.ts'
import { streamTransport } from '../transport/create-stream-transport.ts'
import { KeepAliveBackoff } from '../transport/keep-alive-runner.ts'
import {
  rejectProxyWithConnection,
  STREAM_TRANSPORT_OPTIONS,
  type StreamTransportOptions,
} from '../transport/options.ts'

/** The transport of one attempt. */
export interface StreamConnection {
  /** The Connect transport that opens the stream. */
  readonly transport: Transport
  /** Called once, after the stream was cancelled. */
  close(): void
}

/** The address of a service. */
export interface ServiceTarget {
  /** `host:port`, if it is known. */
  readonly host: string | undefined
  /** The origin; `undefined` if only a transport of the caller knows the address. */
  readonly origin?: string | undefined
  /** Opens a connection for one attempt. */
  open(): StreamConnection
}

/**
 * Opens a connection for one attempt.
 *
 * @param baseUrl - Origin of the service, such as `'https://events-api.example.com'`.
 */
export type ConnectionFactory = (baseUrl: string) => StreamConnection

/** Options of the default connections: those of `createStreamTransport`, without the address. */
export type GrpcConnectionOptions = Omit<StreamTransportOptions, 'baseUrl'>

const GRPC_CONNECTION_OPTIONS = omit(STREAM_TRANSPORT_OPTIONS, 'baseUrl')

/** Schemas of the option `connection`. */
export const CONNECTION_OPTIONS = omit(GRPC_CONNECTION_OPTIONS, 'allowInsecure')

/**
 * Creates a factory of connections over the transport of this package, with keep-alive.
 *
 * @throws StreamsError `STREAM_OPTION_INVALID`. The factory throws it for an address that is not an origin.
 *
 * @example
 * ```ts
 * import { grpcConnections } from '@brokerwire/streams'
 *
 * const open = grpcConnections({ connectTimeoutMs: 5000 })
 * const connection = open('https://events-api.example.com')
 * connection.close()
 * ```
 */
export function grpcConnections(input?: GrpcConnectionOptions | undefined): ConnectionFactory {
  return createConnections(readOptions(optionInvalid, input ?? {}, GRPC_CONNECTION_OPTIONS, 'connection'))
}

/** Creates the factory from options that were read. */
export function createConnections(read: InferFields<typeof GRPC_CONNECTION_OPTIONS>): ConnectionFactory {
  rejectProxyWithConnection(read, 'connection.')
  // The PING intervals that a server accepts are kept for its later connections.
  const keepAlives = new Map<string, KeepAliveBackoff>()
  return (baseUrl) => {
    const origin = readOrigin(optionInvalid, 'baseUrl', baseUrl, read.allowInsecure)
    const settings = { ...read, baseUrl: new URL(origin) }
    const keepAlive = keepAlives.get(origin) ?? new KeepAliveBackoff(settings.keepAlive)
    keepAlives.set(origin, keepAlive)
    const transport = streamTransport(settings, keepAlive)
    return { transport, close: () => transport.close() }
  }
}
