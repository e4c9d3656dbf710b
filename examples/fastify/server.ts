/**
 * A Fastify server that follows the orders of an account. `GET /orders/ID` returns the newest status of an order that had an event.
 * On SIGTERM it closes the server, and then the event stream with its connection.
 */
import { createBrokerage } from '@brokerwire/client'
import Fastify from 'fastify'
import { readSettings } from '../settings.ts'

const { BROKERWIRE_ACCOUNTS = '', PORT = '8080' } = process.env

const app = Fastify({ logger: true })
const brokerage = createBrokerage(readSettings())
const statuses = new Map<string, string>()

async function followOrders(): Promise<void> {
  for await (const item of brokerage.tradeEvents({ accounts: BROKERWIRE_ACCOUNTS.split(',') })) {
    if (item.type === 'notice') app.log.info({ notice: item.kind }, 'event stream')
    const order = item.type === 'event' && item.kind === 'order' ? item.decode() : undefined
    if (order?.ok) statuses.set(order.value.clientOrderId, order.value.orderStatus)
  }
}

app.get<{ Params: { id: string } }>('/orders/:id', async ({ params }, reply) => {
  const status = statuses.get(params.id)
  return status === undefined ? reply.callNotFound() : { status }
})

// Without events the statuses would be wrong, so the server ends with the stream.
app.addHook('onListen', () => {
  followOrders().catch((error: unknown) => {
    app.log.error(error)
    process.exitCode = 1
    return app.close()
  })
})
app.addHook('onClose', () => brokerage.close())

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => app.close())
await app.listen({ port: Number(PORT) })
