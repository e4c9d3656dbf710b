/**
 * Where a subscription gets its transport from.
 *
 * By default each attempt has a connection of its own: a half-open one is never used again, a subscription whose
 * consumer is slow does not hold up another one's flow-control window, and nothing keeps the process alive after the
 * last stream. Any other Connect `Transport` fits through {@link ConnectionFactory}.
 */
import { readOrigin, requireObject } from '@brokerwire/core/internal'
import type { Transport } from '@connectrpc/connect'
import { optionInvalid } from '../streams-error.ts'
import { streamTransport } from '../transport/create-stream-transport.ts'
import { readTransportOptions, type StreamTransportOptions } from '../transport/options.ts'
import { PingPace } from '../transport/ping-watch.ts'

/** A transport, and how to let go of it. */
export interface StreamConnection {
  readonly transport: Transport
  /** Called once, after the stream was cancelled. */
  close(): void
}

/**
 * Opens a connection for one attempt.
 *
 * @param baseUrl - For example `'https://events-api.example.com'`.
 */
export type ConnectionFactory = (baseUrl: string) => StreamConnection

/** Options of the default connections: those of `createStreamTransport`, without the address. */
export type GrpcConnectionOptions = Omit<StreamTransportOptions, 'baseUrl'>

/**
 * Connections over the transport of this package, with keep-alive.
 *
 * @throws StreamsError `STREAM_OPTION_INVALID`, also the factory for an address that is no origin.
 */
export function grpcConnections(input?: GrpcConnectionOptions | undefined): ConnectionFactory {
  if (input !== undefined) requireObject(optionInvalid, 'connection', input)
  // The addresses come later; this one stands for them.
  const settings = readTransportOptions({ ...input, baseUrl: 'https://localhost' }, 'connection')
  // Connections come and go: what a target taught about PINGs stays.
  const paces = new Map<string, PingPace>()
  return (baseUrl) => {
    const origin = readOrigin(optionInvalid, 'baseUrl', baseUrl, settings.allowInsecure)
    const pace = paces.get(origin) ?? new PingPace(settings)
    paces.set(origin, pace)
    const transport = streamTransport({ ...settings, baseUrl: new URL(origin) }, pace)
    return { transport, close: () => transport.close() }
  }
}
