// A receiver of webhooks in a Worker. The secret WEBHOOK_SECRET has one secret, or several that are separated by spaces.
import { verifyWebhook } from '@brokerwire/relay/webhook'

interface Env {
  readonly WEBHOOK_SECRET: string
  /** A queue with the events. Its consumer ignores an id that it has handled before. */
  readonly EVENTS: { send(message: { readonly id: string; readonly event: unknown }): Promise<unknown> }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const body = await request.arrayBuffer()
    const secrets = env.WEBHOOK_SECRET.split(' ')
    const result = await verifyWebhook({ headers: request.headers, body, secrets })
    if (!result.ok) return new Response(result.rule, { status: 401 })
    await env.EVENTS.send({ id: result.id, event: JSON.parse(new TextDecoder().decode(body)) })
    return new Response(null, { status: 204 })
  },
}
