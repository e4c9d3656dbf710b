/**
 * The connection under HTTP/2, ready for use: TCP a proxy's tunnel, or what the caller's port opens, TLS over it, and ALPN's answer.
 *
 * It is opened before HTTP/2 begins, so that what goes wrong here has a name of its own instead of a stream's code.
 */
import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as connectTls, TLSSocket } from 'node:tls'
import { abortable, findProxy, type HttpProxy, port } from '@brokerwire/core/internal'
import { openTunnel } from '@brokerwire/core/proxy/internal'
import { Code, ConnectError } from '@connectrpc/connect'
import type { TransportSettings } from './options.ts'

/** Beside HTTP/2's PINGs, and where those are off: the operating system asks, and no server counts it. */
const TCP_KEEP_ALIVE_MS = 30_000

/**
 * @param opening - Gives it up; a connection that takes too long aborts it itself.
 * @throws ConnectError `unavailable`, or the signal's reason. Nothing is left open.
 */
export async function openSocket(settings: TransportSettings, opening: AbortController): Promise<Duplex> {
  const { connectTimeoutMs: limitMs, baseUrl } = settings
  const { signal } = opening
  const timer = setTimeout(() => opening.abort(unavailable(`no connection within ${limitMs} ms`)), limitMs)
  try {
    const proxy = findProxy(settings.proxy, baseUrl.origin)
    const plain = await (proxy === undefined
      ? openPlain(settings, signal)
      : openThrough(proxy, settings, signal))
    if (baseUrl.protocol === 'http:') return plain
    // A tunnel may be a `TLSSocket` too: that of the connection to the proxy.
    const ready = proxy === undefined && plain instanceof TLSSocket
    return await secure(ready ? plain : layTls(plain, baseUrl, settings.tls), signal)
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
    return settled(socket, 'connect', signal)
  }
  const opening = (async () => createConnection(new URL(baseUrl), { signal }))()
  const opened = await abortable(opening, signal).catch((error: unknown) => {
    // What the port opens after all is nobody's any more.
    opening.then((late) => late.destroy()).catch(() => {})
    throw signal.aborted ? signal.reason : unavailable('createConnection failed', error)
  })
  const noDuplex = (): ConnectError =>
    new ConnectError('createConnection did not return a Duplex', Code.FailedPrecondition)
  const socket = port(['on', 'destroy'])(opened, 'createConnection', noDuplex) as Duplex
  const { connecting } = socket as { readonly connecting?: boolean }
  return connecting === true && !(socket instanceof TLSSocket) ? settled(socket, 'connect', signal) : socket
}

/** A tunnel. Its time limit is a part of the connection's, so that the error names the proxy. */
async function openThrough(
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

async function secure(socket: TLSSocket, signal: AbortSignal): Promise<Duplex> {
  const { secureConnecting } = socket as { readonly secureConnecting?: boolean }
  if (secureConnecting === true) await settled(socket, 'secureConnect', signal)
  if (socket.alpnProtocol === 'h2') return socket
  socket.destroy()
  throw unavailable('the server did not choose HTTP/2 (h2) by ALPN')
}

function layTls(plain: Duplex, baseUrl: URL, tls: TransportSettings['tls']): TLSSocket {
  const host = hostOf(baseUrl)
  // A server name is never an address (RFC 6066, section 3).
  const servername = /^[\d.]+$|:/.test(host) ? '' : host
  return connectTls({ servername, host, ...(tls as ConnectionOptions), socket: plain, ALPNProtocols: ['h2'] })
}

/** Waits until a socket is ready; destroys it where it does not become so. */
async function settled<S extends Duplex>(
  socket: S,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<S> {
  const over = new AbortController()
  const closed = once(socket, 'close', over).then(() =>
    Promise.reject(new Error('the connection was closed')),
  )
  try {
    await abortable(Promise.race([once(socket, event, over), closed]), signal)
    return socket
  } catch (error) {
    // An error that comes after this one has nobody to hear it.
    socket.on('error', () => {})
    socket.destroy()
    throw signal.aborted ? signal.reason : unavailable(textOf(error), error)
  } finally {
    over.abort()
  }
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80))
}

/** Brackets are a URL's, not a socket's. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/** Node's own words, for example `connect ECONNREFUSED 127.0.0.1:1`: host and port, nothing that was sent. */
function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(textOf).join('; ')
  return error instanceof Error ? error.message.trim() : 'the connection failed'
}

function unavailable(text: string, cause?: unknown): ConnectError {
  return new ConnectError(text, Code.Unavailable, undefined, undefined, cause)
}
