/** A receiver of webhooks on 127.0.0.1 that verifies each request, and whose responses a test chooses. */
import type { ServerResponse } from 'node:http'
import { isRecord } from '@brokerwire/core/internal'
import { type HttpServer, readBody, startHttpServer } from '@brokerwire/testing/http-server'
import { verifyWebhook } from '../webhook/verify-webhook.ts'

/** A request that the receiver has read. */
export interface ReceivedWebhook {
  readonly id: string
  readonly contentType: string
  /** The body as text. */
  readonly body: string
  /** The `id` of each event. */
  readonly eventIds: readonly string[]
}

export const WEBHOOK_SECRET = `whsec_${Buffer.from('a secret for tests of webhooks').toString('base64')}`

/** @param respond - Sends the response. @defaultValue status 204 */
export async function startWebhookReceiver(
  respond: (response: ServerResponse, received: ReceivedWebhook, count: number) => void = accept,
  secrets: () => string | readonly string[] = () => WEBHOOK_SECRET,
): Promise<
  HttpServer & { readonly received: readonly ReceivedWebhook[]; readonly rejected: readonly string[] }
> {
  const received: ReceivedWebhook[] = []
  const rejected: string[] = []
  const server = await startHttpServer(async (request, response) => {
    const body = await readBody(request)
    const result = await verifyWebhook({ headers: request.headers, body, secrets: secrets() })
    if (!result.ok) {
      rejected.push(result.rule)
      response.writeHead(401).end()
      return
    }
    const text = body.toString()
    const value: unknown = JSON.parse(text)
    const events = (Array.isArray(value) ? value : [value]).filter(isRecord)
    const webhook = {
      id: result.id,
      contentType: request.headers['content-type'] ?? '',
      body: text,
      eventIds: events.map(({ id }) => String(id)),
    }
    received.push(webhook)
    respond(response, webhook, received.length)
  })
  return { ...server, received, rejected }
}

export function accept(response: ServerResponse): void {
  response.writeHead(204).end()
}
