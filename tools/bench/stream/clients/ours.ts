/**
 * Clients of our packages: our transport with our client on both services, our transport with Connect's
 * client, and supervised streams as applications use them. Each run of a supervised stream has its own
 * subscription and connection.
 */

import { createTelemetry } from '@brokerwire/otel'
import { MODULES } from '@brokerwire/payloads'
import { ModuleEventService } from '@brokerwire/protos/module'
import { TradeEventService } from '@brokerwire/protos/trade'
import { createSigner } from '@brokerwire/signer'
import { createMemoryStore } from '@brokerwire/stores'
import { createStreams, type StreamsOptions } from '@brokerwire/streams'
import { createStreamClient, createStreamTransport } from '@brokerwire/streams/transport'
import { createClient } from '@connectrpc/connect'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import {
  type BenchClient,
  type CreateBenchClient,
  type OnMessage,
  REQUEST,
  type ReceivedMessage,
} from './client.ts'

/** The modules of the events that the server sends. */
const BENCH_MODULES = ['funding', 'fees-and-credits', 'journal', 'trade', 'event-contract'] as const
const EVENT_TYPES = [...new Set(BENCH_MODULES.flatMap((name) => MODULES[name].eventTypes))]

const transportOf = (port: number) => createStreamTransport({ baseUrl: `http://127.0.0.1:${port}` })

const clientOf = (subscribe: () => AsyncIterable<Pick<ReceivedMessage, 'payload'>>): BenchClient => ({
  async receive(_, onMessage) {
    for await (const message of subscribe()) onMessage(message as ReceivedMessage)
    return undefined
  },
})

export const transport: CreateBenchClient = (port) => {
  const client = createStreamClient(TradeEventService, transportOf(port))
  return clientOf(() => client.subscribe(REQUEST))
}

export const moduleTransport: CreateBenchClient = (port) => {
  const client = createStreamClient(ModuleEventService, transportOf(port))
  const events = EVENT_TYPES.map((eventType) => ({ eventType }))
  return clientOf(() => client.subscribe({ events, timestamp: String(Date.now()) }))
}

export const transportThroughConnect: CreateBenchClient = (port) => {
  const client = createClient(TradeEventService, transportOf(port))
  return clientOf(() => client.subscribe(REQUEST))
}

const ACCOUNTS = { accounts: REQUEST.accounts }

function open(port: number, options: Partial<StreamsOptions> = {}) {
  const url = `http://127.0.0.1:${port}`
  const signer = createSigner({ appKey: 'bench', appSecret: 'bench-secret' })
  return createStreams({ signer, eventsUrl: url, moduleEventsUrl: url, ...options })
}

async function receiveItems(
  items: AsyncIterable<{ readonly type: string }>,
  expected: number,
  onMessage: OnMessage,
): Promise<undefined> {
  let left = expected
  for await (const item of items) {
    if (item.type !== 'event') continue
    onMessage(item as ReceivedMessage & { readonly type: string })
    left -= 1
    if (left === 0) break
  }
}

export const supervised: CreateBenchClient = (port) => {
  const streams = open(port)
  return {
    receive: (expected, onMessage) => receiveItems(streams.tradeEvents(ACCOUNTS), expected, onMessage),
  }
}

/** A supervised stream that is read with `batches()`. */
export const supervisedInBatches: CreateBenchClient = (port) => {
  const streams = open(port)
  return {
    async receive(expected, onMessage) {
      let left = expected
      for await (const items of streams.tradeEvents(ACCOUNTS).batches()) {
        for (const item of items) {
          if (item.type !== 'event') continue
          onMessage(item)
          left -= 1
        }
        if (left === 0) break
      }
      return undefined
    },
  }
}

/**
 * A supervised stream with an observer that counts events. A run fails if the observer did not receive every
 * event.
 */
export const supervisedObserved: CreateBenchClient = (port) => {
  let events = 0
  const onStreamBatch = (batch: { readonly events: number }): void => {
    events += batch.events
  }
  const streams = open(port, { observer: { onStreamBatch } })
  return {
    async receive(expected, onMessage) {
      const before = events
      await receiveItems(streams.tradeEvents(ACCOUNTS), expected, onMessage)
      if (events - before !== expected)
        throw new Error(`the observer saw ${events - before} of ${expected} events`)
      return undefined
    },
  }
}

/** A supervised stream whose reports become metrics of OpenTelemetry's SDK. */
export const supervisedTelemetry: CreateBenchClient = (port) => {
  const { observer } = createTelemetry({ meterProvider: new MeterProvider() })
  const streams = open(port, { observer })
  return {
    async receive(expected, onMessage) {
      await receiveItems(streams.tradeEvents(ACCOUNTS), expected, onMessage)
      return undefined
    },
  }
}

/**
 * A supervised stream of module events. Ids are stored to find duplicates, each event is committed when the
 * next one is requested, and cursors are written to a store in memory.
 */
export const supervisedModule: CreateBenchClient = (port) => {
  const streams = open(port, {
    store: createMemoryStore(),
    identity: { environment: 'sandbox', region: 'us', appKey: 'bench' },
  })
  let runs = 0
  return {
    receive(expected, onMessage) {
      // In each run the numbers of the messages start again. With the same consumer name, the events of a
      // second run would be duplicates.
      runs += 1
      const stream = streams.moduleEvents({ modules: BENCH_MODULES, consumer: `run ${runs}` })
      return receiveItems(stream, expected, onMessage)
    },
  }
}
