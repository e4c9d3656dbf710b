/** HTTP server of `/healthz` and `/readyz`, for supervisors of processes. Its responses contain no secret. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Closable } from '@brokerwire/core'
import { closable } from '@brokerwire/core/internal'
import { optionFailure } from '../relay-error.ts'
import type { RelayStatus } from './start-relay.ts'

/** Metrics that the server of {@link serveHealth} returns at `/metrics`. */
export interface MetricsSource {
  /** The value of the header `content-type`. */
  readonly contentType: string
  /** Returns the current metrics as text. If it rejects, the server responds with 500. */
  read(): Promise<string>
}

/** A server of `/healthz`, `/readyz` and `/metrics`. */
export interface HealthServer extends Closable {
  /** The origin of the server, with the chosen port. */
  readonly url: string
}

/**
 * Starts a server of `/healthz` and `/readyz`, which respond with the relay's status as JSON, and of `/metrics`.
 *
 * - `/healthz`: 200 while the process responds.
 * - `/readyz`: 200 if the relay is ready, otherwise 503.
 * - `/metrics`: the text of `metrics`, or 404 without it.
 *
 * The server does not keep the process alive.
 *
 * @throws RelayError `RELAY_OPTION_INVALID` for `port` or `host` if the server cannot listen there.
 *
 * @example
 * ```ts
 * import { serveHealth, type RunningRelay } from '@brokerwire/relay'
 *
 * declare const relay: RunningRelay
 * await using health = await serveHealth({ host: '127.0.0.1', port: 8480 }, () => relay.status())
 * console.log(health.url)
 * ```
 */
export async function serveHealth(
  address: { readonly host: string; readonly port: number },
  status: () => RelayStatus,
  metrics?: MetricsSource | undefined,
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0]
    const isMetrics = path === '/metrics' && metrics !== undefined
    const known = isMetrics || path === '/healthz' || path === '/readyz'
    const isAllowed = request.method === 'GET' || request.method === 'HEAD'
    if (!known || !isAllowed) {
      response.writeHead(known ? 405 : 404, known ? { allow: 'GET, HEAD' } : {}).end()
      return
    }
    if (isMetrics) {
      void respondWithMetrics(metrics, response, request.method === 'HEAD')
      return
    }
    const body = status()
    const code = path === '/healthz' || body.isReady ? 200 : 503
    response.writeHead(code, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    response.end(request.method === 'HEAD' ? undefined : `${JSON.stringify(body)}\n`)
  })
  try {
    server.listen(address.port, address.host)
    await once(server, 'listening')
  } catch (error) {
    throw listenFailure(address, error)
  }
  server.unref()
  server.on('connection', (socket) => socket.unref())
  const { address: host, port, family } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`,
    ...closable(async () => {
      if (!server.listening) return
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    }),
  }
}

async function respondWithMetrics(
  metrics: MetricsSource,
  response: ServerResponse,
  isHead: boolean,
): Promise<void> {
  const text = await metrics.read().catch(() => undefined)
  if (text === undefined) {
    response.writeHead(500).end()
    return
  }
  response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' })
  response.end(isHead ? undefined : text)
}

/** Codes of system errors that the port causes. The host causes all other errors. */
const PORT_ERRORS = new Set(['EADDRINUSE', 'EACCES', 'ERR_SOCKET_BAD_PORT'])

function listenFailure(address: { readonly host: string; readonly port: number }, error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'an error'
  if (!PORT_ERRORS.has(code))
    return optionFailure('host', 'an address of this machine', `${code} at ${address.host}`)
  return optionFailure('port', `a free port of ${address.host}`, `${code} at ${address.port}`)
}
