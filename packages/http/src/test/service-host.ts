/**
 * Local services for whoever asks, over HTTP: a test in workerd cannot listen on a socket, so a Node process does it
 * for tests on both runtimes. Vitest starts it once for a run (`globalSetup`).
 *
 * `POST /` opens a service; `PUT /ID` sets its replies; `GET /ID?count=N` waits until N requests have arrived and
 * tells them all; `DELETE /ID` ends it.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { type LocalService, startLocalService } from './local-service.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the host of local services listens. */
    readonly httpServiceHost: string
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString() || 'null')
}

/** A global setup: starts the host, tells tests its address, and gives what ends it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const services = new Map<string, LocalService>()
  let opened = 0

  const handle = async (request: IncomingMessage): Promise<unknown> => {
    const url = new URL(request.url ?? '/', 'http://host')
    const id = url.pathname.slice(1)
    const json = await readJson(request)
    if (request.method === 'POST') {
      const { nowMs } = json as { nowMs?: number }
      const service = await startLocalService(nowMs === undefined ? undefined : () => nowMs)
      opened += 1
      services.set(String(opened), service)
      return { id: String(opened), url: service.url }
    }
    const service = services.get(id)
    if (service === undefined) throw new Error(`no service ${id}`)
    if (request.method === 'PUT') return service.reply(...(json as never[]))
    if (request.method === 'DELETE') {
      services.delete(id)
      return service.close()
    }
    await service.arrived(Number(url.searchParams.get('count')))
    return service.received.map((received) => ({ ...received, body: [...received.body] }))
  }

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      response.end(JSON.stringify((await handle(request)) ?? null))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  }
  const server = createServer((request, response) => void respond(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  project.provide('httpServiceHost', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
}
