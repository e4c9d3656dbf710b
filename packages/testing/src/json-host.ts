/**
 * A host in Node for tests that run where nothing can listen on a socket, as in workerd: requests and answers are JSON.
 * Vitest starts it once for a run (`globalSetup`).
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request to the host. */
export interface HostRequest {
  readonly method: string
  readonly url: URL
  /** `null` without a body. */
  readonly json: unknown
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString() || 'null')
}

/**
 * Starts the host on 127.0.0.1.
 *
 * @param handle - Its result is the answer; what it throws is an answer of status 500.
 */
export async function startJsonHost(handle: (request: HostRequest) => Promise<unknown>): Promise<{
  readonly url: string
  close(): Promise<void>
}> {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const { method = 'GET', url = '/' } = request
      const json = await readJson(request)
      const answer = await handle({ method, url: new URL(url, 'http://host'), json })
      response.end(JSON.stringify(answer ?? null))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  }
  const server = createServer((request, response) => void respond(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
