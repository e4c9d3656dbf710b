/**
 * A local service that keeps what it received and answers as it is told. Every request is checked by the signer's
 * own verifier over the raw request line, headers and body.
 */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createVerifier, type VerifyResult } from '@brokerwire/signer'
import { onTestFinished } from 'vitest'
import { APP_KEY, APP_SECRET } from './credentials.ts'

/** A request as it arrived. */
export interface Received {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
  readonly verdict: VerifyResult
}

/** An answer: data, or a function that does with the response as it likes. */
export type Reply =
  | {
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      readonly json?: unknown
      readonly text?: string
    }
  | ((response: ServerResponse, received: Received) => void)

/** A running service. */
export interface Service {
  readonly url: string
  readonly received: readonly Received[]
  /** Connections that were ever opened. */
  readonly connections: number
  /** The replies to come, in order; the last one stays. */
  reply(...replies: readonly Reply[]): void
  /** Waits until this many requests have arrived. */
  arrived(count: number): Promise<void>
}

/** Starts a service that ends with the test. */
export async function startService(options: { now?: () => number } = {}): Promise<Service> {
  const verifier = createVerifier({
    secretFor: (key) => (key === APP_KEY ? APP_SECRET : undefined),
    now: options.now,
  })
  const received: Received[] = []
  const sockets = new Set<Socket>()
  const waiting = new Set<() => void>()
  let connections = 0
  let replies: Reply[] = [{ json: {} }]
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const headers = request.headers as Record<string, string | undefined>
    const target = request.url ?? ''
    const verdict = await verifier.verify({ host: headers.host ?? '', target, headers, body })
    const arrival: Received = { method: request.method ?? '', target, headers, body, verdict }
    received.push(arrival)
    for (const check of waiting) check()
    const reply = (replies.length > 1 ? replies.shift() : replies[0]) as Reply
    if (typeof reply === 'function') return reply(response, arrival)
    const text = reply.text ?? (reply.json === undefined ? '' : JSON.stringify(reply.json))
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers })
    response.end(text)
  })
  server.on('connection', (socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    get connections() {
      return connections
    },
    reply(...next) {
      replies = [...next]
    },
    arrived(count) {
      return new Promise((resolve) => {
        const check = (): void => {
          if (received.length < count) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      })
    },
  }
}

/** An address at which nobody listens any more. */
export async function deadUrl(): Promise<string> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}`
}
