/**
 * Where a subscription gets its transport from.
 *
 * By default each attempt has a connection of its own: a half-open one is never used again, a subscription whose
 * consumer is slow does not hold up another one's flow-control window, and nothing keeps the process alive after the
 * last stream. Any other Connect `Transport` fits through {@link ConnectionFactory}.
 */
import type { ClientSessionOptions, SecureClientSessionOptions } from 'node:http2'
import { describe, isRecord, readInteger } from '@brokerwire/core'
import type { Transport } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { optionInvalid } from '../streams-error.ts'
import { createSingleSession } from './single-session.ts'

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

/** Options of the default connections (connect-node's gRPC transport). */
export interface GrpcConnectionOptions {
  /** Time without data after which an HTTP/2 PING is sent. @defaultValue 30_000 */
  readonly pingIntervalMs?: number | undefined
  /** Time that its answer may take before the connection counts as dead. @defaultValue 15_000 */
  readonly pingTimeoutMs?: number | undefined
  /** The longest message that is accepted. @defaultValue 16 MiB */
  readonly readMaxBytes?: number | undefined
  /** Handed to `http2.connect`: own certificate authorities, client certificates, settings. */
  readonly session?: ClientSessionOptions | SecureClientSessionOptions | undefined
}

const MAX_PING_MS = 7_200_000

/**
 * Connections over connect-node, with keep-alive.
 *
 * @throws StreamsError `STREAM_OPTION_INVALID`.
 */
export function grpcConnections(input?: GrpcConnectionOptions | undefined): ConnectionFactory {
  const options: GrpcConnectionOptions = input ?? {}
  if (!isRecord(options)) throw optionInvalid('connection', 'an object', describe(input))
  const pingOptions = {
    pingIntervalMs: readInteger(optionInvalid, 'connection.pingIntervalMs', options.pingIntervalMs, {
      min: 100,
      max: MAX_PING_MS,
      fallback: 30_000,
    }),
    pingTimeoutMs: readInteger(optionInvalid, 'connection.pingTimeoutMs', options.pingTimeoutMs, {
      min: 100,
      max: MAX_PING_MS,
      fallback: 15_000,
    }),
  }
  const readMaxBytes = readInteger(optionInvalid, 'connection.readMaxBytes', options.readMaxBytes, {
    min: 1,
    max: 0xff_ff_ff_ff,
    fallback: 16 * 1024 * 1024,
  })
  const session = options.session === undefined ? undefined : { ...options.session }
  return (baseUrl) => {
    const sessionManager = createSingleSession(baseUrl, { ...pingOptions, session })
    return {
      transport: createGrpcTransport({ baseUrl, sessionManager, readMaxBytes }),
      close: () => sessionManager.close(),
    }
  }
}

/** Connections that share a transport of the caller, who also closes it. */
export function sharedTransport(transport: Transport): ConnectionFactory {
  return () => ({ transport, close: () => {} })
}
