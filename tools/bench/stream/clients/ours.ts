/** Our transport: behind its own client, on both services, and behind Connect's. */
import { ModuleEventService } from '@brokerwire/protos/module'
import { TradeEventService } from '@brokerwire/protos/trade'
import { createStreamClient, createStreamTransport } from '@brokerwire/streams/transport'
import { createClient } from '@connectrpc/connect'
import { type CreateBenchClient, REQUEST } from './client.ts'
import { BENCH_EVENT_TYPES } from './supervised.ts'

export const createOurs: CreateBenchClient = (port) => {
  const transport = createStreamTransport({ baseUrl: `http://127.0.0.1:${port}` })
  const client = createStreamClient(TradeEventService, transport)
  return {
    async receive(payload, onMessage) {
      for await (const message of client.subscribe({ ...REQUEST, payload })) onMessage(message)
      return undefined
    },
    close: () => transport.close(),
  }
}

export const createOursModule: CreateBenchClient = (port) => {
  const transport = createStreamTransport({ baseUrl: `http://127.0.0.1:${port}` })
  const client = createStreamClient(ModuleEventService, transport)
  const events = BENCH_EVENT_TYPES.map((eventType) => ({ eventType }))
  return {
    async receive(timestamp, onMessage) {
      for await (const message of client.subscribe({ events, timestamp })) onMessage(message)
      return undefined
    },
    close: () => transport.close(),
  }
}

export const createOursThroughConnect: CreateBenchClient = (port) => {
  const transport = createStreamTransport({ baseUrl: `http://127.0.0.1:${port}` })
  const client = createClient(TradeEventService, transport)
  return {
    async receive(payload, onMessage) {
      for await (const message of client.subscribe({ ...REQUEST, payload })) onMessage(message)
      return undefined
    },
    close: () => transport.close(),
  }
}
