/** A server on `node:http`, on a free port of 127.0.0.1. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { listenLocally } from './listen.ts'

/** A running server. */
export interface HttpServer {
  readonly url: string
  readonly port: number
  readonly server: Server
  close(): Promise<void>
}

/**
 * Starts a server.
 *
 * @param respond - Sends the response to a request.
 */
export async function startHttpServer(
  respond: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<HttpServer> {
  const server = createServer((request, response) => void respond(request, response))
  const { port, close } = await listenLocally(server)
  return { url: `http://127.0.0.1:${port}`, port, server, close }
}

/** Reads the complete body of a request. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
