/**
 * The socket of an HTTP/2 connection: TCP, a tunnel of a proxy, or the result of `createConnection`, with TLS and ALPN.
 *
 * The socket is opened before HTTP/2 starts, so that a failure is reported with the socket's own error, not
 * only with the error code of a stream.
 */
import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as connectTls, TLSSocket } from 'node:tls'
import { abortable, findProxy, type HttpProxy, port } from '@brokerwire/core/internal'
import { openTunnel } from '@brokerwire/core/proxy/internal'
import { Code, ConnectError } from '@connectrpc/connect'
import type { TransportSettings } from './options.ts'

/** Interval of TCP keep-alive, which runs in addition to HTTP/2 PINGs. Servers do not count it as PINGs. */
const TCP_KEEP_ALIVE_MS = 30_000

/**
 * Opens a socket.
 *
 * @param controller - Cancels the opening. It is also aborted if the connection takes longer than
 * `connectTimeoutMs`.
 * @throws ConnectError `unavailable`, or the reason of the signal. After an error, no socket stays open.
 */
export async function openSocket(settings: TransportSettings, controller: AbortController): Promise<Duplex> {
  const { connectTimeoutMs, baseUrl } = settings
  const { signal } = controller
  const timer = setTimeout(
    () => controller.abort(unavailable(`no connection within ${connectTimeoutMs} ms`)),
    connectTimeoutMs,
  )
  try {
    const proxy = findProxy(settings.proxy, baseUrl.origin)
    const plain = await (proxy === undefined
      ? openPlain(settings, signal)
      : openProxyTunnel(proxy, settings, signal))
    if (baseUrl.protocol === 'http:') return plain
    // A tunnel may be a `TLSSocket` as well, if the connection to the proxy uses TLS.
    const isSecure = proxy === undefined && plain instanceof TLSSocket
    return await requireH2(isSecure ? plain : upgradeToTls(plain, baseUrl, settings.tls), signal)
  } finally {
    clearTimeout(timer)
  }
}

async function openPlain(settings: TransportSettings, signal: AbortSignal): Promise<Duplex> {
  const { baseUrl, createConnection } = settings
  if (createConnection === undefined) {
    const socket = connectTcp({
      host: hostOf(baseUrl),
      port: portOf(baseUrl),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
    })
    return onceReady(socket, 'connect', signal)
  }
  const opening = (async () => createConnection(new URL(baseUrl), { signal }))()
  const opened = await abortable(opening, signal).catch((error: unknown) => {
    // A socket that is opened after the signal aborted is destroyed.
    opening.then((late) => late.destroy()).catch(() => {})
    throw signal.aborted ? signal.reason : unavailable('createConnection failed', error)
  })
  const noDuplex = (): ConnectError =>
    new ConnectError('createConnection must return a Duplex', Code.FailedPrecondition)
  const socket = port(['on', 'destroy'])(opened, 'createConnection', noDuplex) as Duplex
  const { connecting } = socket as { readonly connecting?: boolean }
  return connecting === true && !(socket instanceof TLSSocket) ? onceReady(socket, 'connect', signal) : socket
}

/**
 * Opens a tunnel. The tunnel's timeout is shorter than the timeout of the connection, so that the error names
 * the proxy.
 */
async function openProxyTunnel(
  proxy: HttpProxy,
  { baseUrl, connectTimeoutMs }: TransportSettings,
  signal: AbortSignal,
): Promise<Duplex> {
  try {
    return await openTunnel({
      proxy,
      hostname: hostOf(baseUrl),
      port: portOf(baseUrl),
      signal,
      timeoutMs: Math.ceil(connectTimeoutMs / 2),
    })
  } catch (error) {
    throw signal.aborted ? signal.reason : unavailable(textOf(error), error)
  }
}

/** Waits for the TLS handshake and requires HTTP/2 by ALPN. */
async function requireH2(socket: TLSSocket, signal: AbortSignal): Promise<Duplex> {
  const { secureConnecting } = socket as { readonly secureConnecting?: boolean }
  if (secureConnecting === true) await onceReady(socket, 'secureConnect', signal)
  if (socket.alpnProtocol === 'h2') return socket
  socket.destroy()
  throw unavailable('the server did not choose HTTP/2 (h2) by ALPN')
}

function upgradeToTls(plain: Duplex, baseUrl: URL, tls: TransportSettings['tls']): TLSSocket {
  const host = hostOf(baseUrl)
  // A server name is never an IP address (RFC 6066, section 3).
  const servername = /^[\d.]+$|:/.test(host) ? '' : host
  return connectTls({ servername, host, ...(tls as ConnectionOptions), socket: plain, ALPNProtocols: ['h2'] })
}

/** Waits until a socket is ready. Destroys the socket if it fails first. */
async function onceReady<S extends Duplex>(
  socket: S,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<S> {
  const waiting = new AbortController()
  const closed = once(socket, 'close', waiting).then(() =>
    Promise.reject(new Error('the connection was closed')),
  )
  try {
    await abortable(Promise.race([once(socket, event, waiting), closed]), signal)
    return socket
  } catch (error) {
    // Without a listener, a later error would end the process.
    socket.on('error', () => {})
    socket.destroy()
    throw signal.aborted ? signal.reason : unavailable(textOf(error), error)
  } finally {
    waiting.abort()
  }
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80))
}

/** Returns the host without the brackets of an IPv6 address. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/** Returns Node's message, such as `connect ECONNREFUSED 127.0.0.1:1`. It contains host and port, but nothing of the request. */
function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(textOf).join('; ')
  return error instanceof Error ? error.message.trim() : 'the connection failed'
}

function unavailable(text: string, cause?: unknown): ConnectError {
  return new ConnectError(text, Code.Unavailable, undefined, undefined, cause)
}
