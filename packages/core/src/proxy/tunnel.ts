/**
 * A tunnel through an HTTP proxy, opened with CONNECT (RFC 9110, section 9.3.6). All connections use a
 * tunnel, even those with `http:`, because a proxy that reads requests may change the signed bytes.
 */
import { type ClientRequest, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Duplex } from 'node:stream'
import { CoreError } from '../core-error.ts'
import type { AbortSignalLike } from '../structural.ts'
import { addAbortListener } from '../time/abort.ts'
import type { HttpProxy } from './address.ts'

/** Options of {@link openTunnel}. */
export interface TunnelRequest {
  /** The proxy to connect to. */
  readonly proxy: HttpProxy
  /** Name or address of the target, without brackets. The proxy resolves the name. */
  readonly hostname: string
  /** TCP port of the target. */
  readonly port: number
  /** Ends the attempt when it aborts. @defaultValue none */
  readonly signal?: AbortSignalLike | undefined
  /**
   * Maximum time until the proxy's response, in milliseconds.
   * @defaultValue 10_000
   */
  readonly timeoutMs?: number | undefined
}

/** Interval of the operating system's keep-alive probes, the same as for direct connections. */
const TCP_KEEP_ALIVE_MS = 30_000
const TIMEOUT_MS = 10_000

/**
 * Opens a tunnel. The target receives the bytes that you write to the returned stream.
 *
 * @throws CoreError `PROXY_REFUSED`, `PROXY_UNREACHABLE`; the signal's reason. After an error, no connection
 * stays open.
 */
export function openTunnel({
  proxy,
  hostname,
  port,
  signal,
  timeoutMs = TIMEOUT_MS,
}: TunnelRequest): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const target = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`
    const request = connectRequest(proxy, target)
    const fail = (reason: unknown): void => {
      stop()
      request.destroy()
      reject(reason)
    }
    const timer = setTimeout(() => fail(proxyUnreachable(proxy, target, 'ETIMEDOUT')), timeoutMs)
    let removeListener = (): void => {}
    const stop = (): void => {
      clearTimeout(timer)
      removeListener()
    }
    request.once('connect', ({ statusCode = 0 }, socket: Duplex, early: Buffer) => {
      stop()
      if (statusCode < 200 || statusCode > 299) {
        socket.on('error', () => {})
        socket.destroy()
        reject(proxyRefused(proxy, target, statusCode))
        return
      }
      // The target may have sent bytes that arrived together with the proxy's response.
      if (early.length > 0) socket.unshift(early)
      resolve(socket)
    })
    // `on` instead of `once`, because `destroy()` may emit a second error.
    request.on('error', (error) => fail(proxyUnreachable(proxy, target, codeOf(error))))
    request.on('socket', (socket) => {
      socket.setNoDelay(true)
      socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS)
    })
    request.end()
    if (signal !== undefined) removeListener = addAbortListener(signal, fail)
  })
}

function connectRequest(proxy: HttpProxy, target: string): ClientRequest {
  const { isSecure, hostname, port, credentials } = proxy
  const headers: Record<string, string> = { host: target }
  if (credentials !== undefined)
    headers['proxy-authorization'] = `Basic ${Buffer.from(credentials.reveal()).toString('base64')}`
  // No agent is used, because each tunnel needs a separate connection.
  const options = { method: 'CONNECT', host: hostname, port, path: target, headers, agent: false }
  return isSecure ? requestHttps(options) : requestHttp(options)
}

/**
 * Returns the code of an error. The message of the error is not used, because the messages of Node's HTTP
 * parser quote received bytes.
 */
function codeOf(error: Error): string {
  const { code, errors } = error as { readonly code?: unknown; readonly errors?: readonly Error[] }
  if (typeof code === 'string') return code
  return errors?.[0] === undefined ? error.name : codeOf(errors[0])
}

/** Creates the error for a proxy that responded to CONNECT with another status than 2xx. */
function proxyRefused(
  { origin, source, credentials }: Pick<HttpProxy, 'origin' | 'source' | 'credentials'>,
  target: string,
  status: number,
): CoreError {
  const next =
    // tinyproxy rejects a wrong password with 401.
    status === 407 || status === 401
      ? credentials === undefined
        ? `It asks for a user and a password: put them into ${source}, as http://user:password@host:port`
        : `Check the user and the password in ${source}`
      : status >= 500
        ? 'Try again later; if it persists, ask who runs the proxy'
        : 'Ask who runs the proxy to allow this host and port, or connect without it'
  const text = `the proxy ${origin} (${source}) refused the connection to ${target} with status ${status}. ${next}`
  const retryable = status >= 500 || status === 408 || status === 429
  const details = { proxy: origin, source, target, status }
  return new CoreError('PROXY_REFUSED', text, { details, retryable })
}

function proxyUnreachable({ origin, source }: HttpProxy, target: string, reason: string): CoreError {
  const text = `no connection to ${target} through the proxy ${origin} (${source}): ${reason}. Check that ${source} is the address of a proxy that runs`
  const details = { proxy: origin, source, target, reason }
  return new CoreError('PROXY_UNREACHABLE', text, { details, retryable: true })
}
