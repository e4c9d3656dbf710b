/**
 * A host in Node for tests in runtimes that cannot listen on a socket, such as workerd. Requests and
 * responses are JSON. Vitest starts it once per run (`globalSetup`).
 */
import { readBody, startHttpServer } from './http-server.ts'

/** A request to the host. */
export interface HostRequest {
  readonly method: string
  readonly url: URL
  /** The body, or `null` if there is none. */
  readonly json: unknown
}

/**
 * Starts the host on 127.0.0.1.
 *
 * @param handle - Returns the response. If it throws, the response has status 500.
 */
export async function startJsonHost(handle: (request: HostRequest) => Promise<unknown>): Promise<{
  readonly url: string
  close(): Promise<void>
}> {
  return startHttpServer(async (request, response) => {
    try {
      const { method = 'GET', url = '/' } = request
      const json: unknown = JSON.parse((await readBody(request)).toString() || 'null')
      const answer = await handle({ method, url: new URL(url, 'http://host'), json })
      response.end(JSON.stringify(answer ?? null))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
}
