/** `/healthz` and `/readyz`, for whoever watches processes. Nothing else is served, and nothing that is secret is said. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Closable } from '@brokerwire/core'
import { closable } from '@brokerwire/core/internal'
import { optionFailure } from '../relay-error.ts'
import type { RelayStatus } from './start-relay.ts'

/** A server of both. */
export interface HealthServer extends Closable {
  readonly url: string
}

/**
 * Serves them: `/healthz` answers 200 as long as the process does, `/readyz` 200 where the relay is ready, and 503 where it
 * is not, with its status as JSON. The server keeps no process alive: one whose relay has ended ends.
 *
 * @throws RelayError `RELAY_OPTION_INVALID`, which names `port` or `host`, where nothing can be served there.
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
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0]
    const known = path === '/healthz' || path === '/readyz'
    const isAllowed = request.method === 'GET' || request.method === 'HEAD'
    if (!known || !isAllowed) {
      response.writeHead(known ? 405 : 404, known ? { allow: 'GET, HEAD' } : {}).end()
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

/** Of these codes of the system the port is the reason, of all others the address. */
const PORT_ERRORS = new Set(['EADDRINUSE', 'EACCES', 'ERR_SOCKET_BAD_PORT'])

function listenFailure(address: { readonly host: string; readonly port: number }, error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'an error'
  if (!PORT_ERRORS.has(code))
    return optionFailure('host', 'an address of this machine', `${code} at ${address.host}`)
  return optionFailure('port', `a free port of ${address.host}`, `${code} at ${address.port}`)
}
