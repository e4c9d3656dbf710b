// A receiver of webhooks in Node. WEBHOOK_SECRET has the secret, or several that are separated by spaces.
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { verifyWebhook } from '@brokerwire/relay/webhook'

const secrets = (process.env.WEBHOOK_SECRET ?? '').split(' ')
// Ids of handled requests. Keep them in your database, in the transaction that handles the event.
const handled = new Set<string>()

const server = createServer(async (request, response) => {
  try {
    const body = await buffer(request)
    const result = await verifyWebhook({ headers: request.headers, body, secrets })
    if (!result.ok) {
      response.writeHead(401).end(result.rule)
      return
    }
    if (!handled.has(result.id)) {
      const event = JSON.parse(body.toString())
      console.log(event.type, JSON.stringify(event.data))
      handled.add(result.id)
    }
    response.writeHead(204).end()
  } catch (error) {
    console.error(error)
    response.writeHead(500).end()
  }
})
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => console.log(server.address()))
