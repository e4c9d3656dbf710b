/**
 * One HTTP/2 session for one attempt, with keep-alive, under connect-node's transport.
 *
 * connect-node's own manager keeps a pool for many calls, and closing it while a PING times out raises an exception
 * that nobody can catch. With one session per attempt there is nothing to pool: it opens with the request, ends with
 * the attempt, and an error on it always has a listener.
 */
import {
  type ClientHttp2Session,
  type ClientSessionOptions,
  connect,
  constants,
  type SecureClientSessionOptions,
} from 'node:http2'
import { Code, ConnectError } from '@connectrpc/connect'
import type { createNodeHttpClient } from '@connectrpc/connect-node'

type Http2ClientOptions = Extract<Parameters<typeof createNodeHttpClient>[0], { readonly httpVersion: '2' }>
type SessionManager = ReturnType<NonNullable<Http2ClientOptions['sessionProvider']>>

/** Options of {@link createSingleSession}. */
export interface SingleSessionOptions {
  readonly pingIntervalMs: number
  readonly pingTimeoutMs: number
  readonly session: ClientSessionOptions | SecureClientSessionOptions | undefined
}

/** A session that somebody closes. */
export interface SingleSession extends SessionManager {
  /** Lets what was written leave, then ends the connection. Harmless when called again. */
  close(): void
}

/** How long a connection that is closed may take to send what was written. */
const FLUSH_MS = 1000

/** Prepares a session. Nothing is opened before the request. */
export function createSingleSession(baseUrl: string, options: SingleSessionOptions): SingleSession {
  const authority = new URL(baseUrl).origin
  let session: ClientHttp2Session | undefined
  let opened: Promise<ClientHttp2Session> | undefined
  let closed = false
  let pingTimer: NodeJS.Timeout | undefined

  const stopPings = (): void => clearTimeout(pingTimer)
  /** From the last sign of life: first the interval, then a PING and the time for its answer. */
  const restartPings = (): void => {
    stopPings()
    if (closed || session === undefined || session.closed || session.destroyed) return
    pingTimer = setTimeout(ping, options.pingIntervalMs).unref()
  }
  const ping = (): void => {
    if (session === undefined || session.destroyed) return
    pingTimer = setTimeout(() => {
      session?.destroy(new ConnectError('no answer to PING', Code.Unavailable), constants.NGHTTP2_CANCEL)
    }, options.pingTimeoutMs).unref()
    // A PING that fails takes the session with it, and that is told by the stream.
    session.ping((error) => {
      if (error === null) restartPings()
    })
  }
  const open = (): Promise<ClientHttp2Session> =>
    new Promise((resolve, reject) => {
      const opening = connect(authority, options.session)
      session = opening
      opening.on('error', reject)
      opening.on('close', () => {
        stopPings()
        reject(new ConnectError('the connection was closed', closed ? Code.Canceled : Code.Unavailable))
      })
      opening.on('connect', () => resolve(opening))
    })

  return {
    authority,
    async request(method, path, headers, requestOptions) {
      if (closed) throw new ConnectError('the connection was closed', Code.Canceled)
      opened ??= open()
      const ready = await opened
      restartPings()
      return ready.request({ ...headers, ':method': method, ':path': path }, requestOptions)
    },
    notifyResponseByteRead: restartPings,
    close() {
      if (closed) return
      closed = true
      stopPings()
      const ending = session
      if (ending === undefined || ending.destroyed) return
      if (ending.connecting) {
        ending.destroy()
        return
      }
      ending.close()
      ending.unref()
      setTimeout(() => ending.destroy(), FLUSH_MS).unref()
    },
  }
}
