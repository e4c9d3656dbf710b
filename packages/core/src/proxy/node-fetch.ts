/**
 * A `fetch` for Node that connects through a proxy, or trusts additional certificates. Node's `fetch` has no
 * option for either. This `fetch` uses `node:http`, which sends each request once and follows no redirect.
 */
import {
  type ClientRequestArgs,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http'
import { Agent as HttpsAgent, type RequestOptions, request as requestHttps } from 'node:https'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import { coreOptionFailure } from '../core-error.ts'
import { custom, optional, readOptions, type Schema } from '../options/schema.ts'
import type { AbortSignalLike, ByteReaderLike, FetchInit, FetchLike, ResponseLike } from '../structural.ts'
import { addAbortListener, throwIfAborted } from '../time/abort.ts'
import { findProxy, type HttpProxy, type ProxyOption, proxyOption } from './address.ts'
import { openTunnel } from './tunnel.ts'

/** Maximum duration of the TLS handshake inside a tunnel. */
const HANDSHAKE_MS = 10_000

/** Options of {@link createNodeFetch}. */
export interface NodeFetchOptions {
  /**
   * The proxy for all requests, or a function that returns it for the origin of a request.
   * @defaultValue none
   */
  readonly proxy?: ProxyOption | undefined
  /** Certificates in PEM that are trusted instead of Node's own. @defaultValue those of Node and `NODE_EXTRA_CA_CERTS` */
  readonly ca?: string | readonly string[] | undefined
}

const isPem = (value: unknown): boolean =>
  Array.isArray(value) ? value.every((one) => typeof one === 'string') : typeof value === 'string'

/** Schema of the option `ca`. */
export const authorities: Schema<string | readonly string[] | undefined> = optional(
  custom('certificates in PEM, a string or an array of strings', isPem),
)

const NODE_FETCH_OPTIONS = { proxy: proxyOption, ca: authorities }

/**
 * Creates the value for the option `fetch` of an HTTP client on Node. Connections are kept for later
 * requests, and do not keep the process alive.
 *
 * If the cause of a failure is the proxy, the request fails with CoreError `PROXY_REFUSED` or
 * `PROXY_UNREACHABLE`. An HTTP client reports this error as `HTTP_NOT_SENT`, with the same details.
 *
 * @throws CoreError `OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createNodeFetch, proxyFromEnvironment } from '@brokerwire/core/proxy'
 * import { createHttpClient } from '@brokerwire/http'
 * import type { Signer } from '@brokerwire/signer'
 *
 * declare const signer: Signer
 * declare const baseUrl: string
 *
 * const fetch = createNodeFetch({ proxy: proxyFromEnvironment(process.env) })
 * const http = createHttpClient({ baseUrl, signer, fetch })
 * console.log(typeof http.request)
 * ```
 */
export function createNodeFetch(options: NodeFetchOptions = {}): FetchLike {
  const { proxy, ca } = readOptions(coreOptionFailure('OPTION_INVALID'), options, NODE_FETCH_OPTIONS)
  const direct = agentsFor(undefined, ca)
  const agents = new Map<string, Agents>()
  const send = async (url: string, init: FetchInit): Promise<ResponseLike> => {
    const target = new URL(url)
    const found = findProxy(proxy, target.origin)
    if (found === undefined) return sendRequest(target, init, direct)
    const key = `${found.origin} ${found.source} ${found.credentials?.reveal() ?? ''}`
    const through = agents.get(key) ?? agentsFor(found, ca)
    agents.set(key, through)
    return sendRequest(target, init, through)
  }
  return Object.assign(send, { sendsOnce: true } as const)
}

interface Agents {
  readonly http: HttpAgent
  readonly https: HttpsAgent
}

type Authorities = string | readonly string[] | undefined

/** Returns agents that keep connections open for later requests. */
function agentsFor(proxy: HttpProxy | undefined, ca: Authorities): Agents {
  const options = {
    keepAlive: true,
    ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
  }
  if (proxy === undefined) return { http: new HttpAgent(options), https: new HttpsAgent(options) }
  return { http: new TunnelAgent(proxy, options), https: new SecureTunnelAgent(proxy, options) }
}

type OnConnection = (error: Error | null, socket: Duplex) => void

function tunnelTo(proxy: HttpProxy, { host, port }: ClientRequestArgs): Promise<Duplex> {
  return openTunnel({ proxy, hostname: String(host).replace(/^\[|\]$/g, ''), port: Number(port) })
}

/** Calls `done` when the connection is open or has failed. */
function pass(connection: Promise<Duplex>, done: OnConnection | undefined): undefined {
  connection.then(
    (socket) => done?.(null, socket),
    (error: Error) => done?.(error, undefined as never),
  )
}

class TunnelAgent extends HttpAgent {
  readonly #proxy: HttpProxy

  constructor(proxy: HttpProxy, options: object) {
    super(options)
    this.#proxy = proxy
  }

  override createConnection(target: ClientRequestArgs, done?: OnConnection): undefined {
    pass(tunnelTo(this.#proxy, target), done)
  }
}

class SecureTunnelAgent extends HttpsAgent {
  readonly #proxy: HttpProxy

  constructor(proxy: HttpProxy, options: object) {
    super(options)
    this.#proxy = proxy
  }

  override createConnection(target: RequestOptions, done?: OnConnection): undefined {
    const secured = tunnelTo(this.#proxy, target).then((socket) => {
      const { host, port, servername, ca } = target
      return whenSecure(connectTls({ socket, host, port, servername, ca } as ConnectionOptions))
    })
    pass(secured, done)
  }
}

/**
 * Resolves when the handshake is complete. The request is sent after that, so an error of the handshake means
 * that the request was not sent.
 */
function whenSecure(socket: TLSSocket): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const late = Object.assign(new Error('no TLS handshake'), { code: 'ETIMEDOUT', syscall: 'connect' })
    const timer = setTimeout(() => socket.destroy(late), HANDSHAKE_MS)
    socket.once('error', reject)
    socket.once('close', () => clearTimeout(timer))
    socket.once('secureConnect', () => {
      clearTimeout(timer)
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

function sendRequest(url: URL, init: FetchInit, agents: Agents): Promise<ResponseLike> {
  const { method, headers, body } = init
  const signal = init.signal as AbortSignalLike | undefined
  throwIfAborted(signal)
  const isSecure = url.protocol === 'https:'
  return new Promise((resolve, reject) => {
    const request = isSecure
      ? requestHttps(url, { method, headers, agent: agents.https })
      : requestHttp(url, { method, headers, agent: agents.http })
    const removeListener =
      signal &&
      addAbortListener(signal, (reason) => {
        reject(reason)
        request.destroy()
      })
    request.once('close', () => removeListener?.())
    request.on('error', reject)
    request.once('response', (response) => resolve(responseOf(response)))
    request.end(body)
  })
}

function responseOf(response: IncomingMessage): ResponseLike {
  const headers = new Headers()
  const { rawHeaders, statusCode = 0 } = response
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    headers.append(String(rawHeaders[index]), String(rawHeaders[index + 1]))
  return { status: statusCode, headers, body: { getReader: () => readerOf(response) } }
}

function readerOf(response: IncomingMessage): ByteReaderLike {
  const chunks = response[Symbol.asyncIterator]()
  return {
    async read() {
      const { done, value } = await chunks.next()
      return { done: done === true, value }
    },
    async cancel() {
      response.destroy()
    },
  }
}
