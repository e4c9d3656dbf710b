/**
 * A local service that records requests and sends the given responses, over real sockets. Every request is checked
 * by the signer's own verifier over the raw request line, headers and body. Node only; tests ask for one through
 * `service.ts`.
 */
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { createVerifier } from '@brokerwire/signer'
import { readBody, startHttpServer } from '@brokerwire/testing/http-server'
import { APP_KEY, APP_SECRET } from './credentials.ts'
import type { Received, Reply, Step } from './reply.ts'

/** A request whose response is not complete yet. */
type Arrival = { -readonly [K in keyof Received]: Received[K] }

/** A running service. */
export interface LocalService {
  readonly url: string
  readonly received: readonly Received[]
  /** Sets the next replies, in order. The last one is repeated. A function chooses the reply by the request. */
  reply(...replies: readonly (Reply | ((received: Received) => Reply))[]): void
  /** Waits until this many requests have arrived. */
  arrived(count: number): Promise<void>
  close(): Promise<void>
}

/** Replaces `{header NAME}` and `{body}` by the parts of the request. */
function quoteRequest(text: string, { headers, text: body }: Received, escaped: (text: string) => string) {
  return text.replace(/\{(?:header ([a-z-]+)|body)\}/g, (_, name: string | undefined) =>
    escaped(name === undefined ? body : String(headers[name])),
  )
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

function replyBody(reply: Reply, received: Received): string {
  if (reply.text !== undefined) return reply.text
  return reply.json === undefined ? '' : quoteRequest(JSON.stringify(reply.json), received, inJson)
}

/** Executes one step of a reply. Resolves when the next step may follow. */
async function perform(step: Step, response: ServerResponse, arrival: Arrival, head: () => void) {
  const write = (data: string | Uint8Array): Promise<unknown> =>
    new Promise((resolve) => {
      response.write(data, resolve)
      arrival.writes += 1
    })
  if (step === 'head') {
    head()
    response.flushHeaders()
  } else if (step === 'end') response.end()
  else if (step === 'destroy') response.destroy()
  else if (step === 'pour') while (!response.destroyed) await write(new Uint8Array(65_536))
  else if ('write' in step) await write(step.write)
  else if ('writeBase64' in step) await write(Buffer.from(step.writeBase64, 'base64'))
  else if ('fill' in step) await write(Buffer.alloc(step.fill, 'x'))
  else if ('zip' in step) await write(gzipSync(Buffer.alloc(step.zip)))
  else if ('raw' in step) await new Promise((resolve) => response.socket?.write(step.raw, resolve))
  else {
    const timer = setInterval(() => void write('{'), step.dripEveryMs)
    response.on('close', () => clearInterval(timer))
  }
}

async function respond(response: ServerResponse, reply: Reply, arrival: Arrival): Promise<void> {
  const headers = Object.entries({ 'content-type': 'application/json', ...reply.headers }).map(
    ([name, value]) => [name, quoteRequest(value, arrival, (text) => text)] as const,
  )
  const head = (): void => {
    response.sendDate = reply.withoutDate !== true
    response.writeHead(reply.status ?? 200, Object.fromEntries(headers))
  }
  if (reply.steps === undefined) {
    head()
    response.end(replyBody(reply, arrival))
    return
  }
  for (const step of reply.steps) await perform(step, response, arrival, head)
}

/** Starts a service. @param now - The clock that checks timestamps of signatures. */
export async function startLocalService(now?: () => number): Promise<LocalService> {
  const verifier = createVerifier({ secretFor: (key) => (key === APP_KEY ? APP_SECRET : undefined), now })
  const received: Received[] = []
  const waiting = new Set<() => void>()
  let replies: readonly (Reply | ((received: Received) => Reply))[] = [{ json: {} }]

  const { url, close } = await startHttpServer(async (request, response) => {
    response.on('error', () => undefined)
    const body = await readBody(request)
    const headers = request.headers as Record<string, string | undefined>
    const target = request.url ?? ''
    const verdict = await verifier.verify({ host: headers.host ?? '', target, headers, body })
    const text = body.toString()
    const arrival: Arrival = {
      method: request.method ?? '',
      target,
      headers,
      body,
      text,
      verdict,
      writes: 0,
    }
    received.push(arrival)
    for (const check of waiting) check()
    const [next = {}, ...rest] = replies
    if (rest.length > 0) replies = rest
    const chosen = typeof next === 'function' ? next(arrival) : next
    await respond(response, verdict.ok ? chosen : (chosen.ifSignatureInvalid ?? chosen), arrival)
  })

  return {
    url,
    received,
    reply(...next) {
      replies = next
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
    close,
  }
}
