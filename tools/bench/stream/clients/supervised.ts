/**
 * Supervised streams, as their users hold them. Each run is a subscription of its own, over a connection of its own,
 * and is left at the last message: the stream itself would come back for more.
 */
import { MODULES } from '@brokerwire/payloads'
import { createSigner } from '@brokerwire/signer'
import { createStreams, type StreamObserver, type StreamsOptions } from '@brokerwire/streams'
import type { Plan } from '../plan.ts'
import { block } from '../wire/blocks.ts'
import { BENCH_MODULES } from '../wire/messages.ts'
import { type CreateBenchClient, REQUEST } from './client.ts'

const CREDENTIALS = { appKey: 'bench', appSecret: 'bench-secret' }

function open(port: number, options: Partial<StreamsOptions> = {}) {
  const url = `http://127.0.0.1:${port}`
  return createStreams({
    signer: createSigner(CREDENTIALS),
    eventsUrl: url,
    moduleEventsUrl: url,
    ...options,
  })
}

function messagesOf(text: string): number {
  const plan = JSON.parse(text) as Plan
  return plan.kind === 'blast' ? plan.blocks * block(plan.shape, plan.service).messages : plan.messages
}

/** @param counted - Events that the observer has seen. A run in which it did not see each of them does not count. */
function createTrade(observer?: StreamObserver, counted?: () => number): CreateBenchClient {
  return (port) => {
    const streams = open(port, { observer })
    return {
      async receive(payload, onMessage) {
        const expected = messagesOf(payload)
        const before = counted?.() ?? 0
        let left = expected
        for await (const item of streams.tradeEvents({ accounts: REQUEST.accounts, payload })) {
          if (item.type !== 'event') continue
          onMessage(item)
          left -= 1
          if (left === 0) break
        }
        if (counted !== undefined && counted() - before !== expected) {
          throw new Error(`the observer was told of ${counted() - before} of ${expected} events`)
        }
        return undefined
      },
      close: () => void streams[Symbol.asyncDispose](),
    }
  }
}

export const createSupervised: CreateBenchClient = createTrade()

/** The same stream in arrays, each item of which is looked at. */
export const createSupervisedInBatches: CreateBenchClient = (port) => {
  const streams = open(port)
  return {
    async receive(payload, onMessage) {
      let left = messagesOf(payload)
      for await (const items of streams.tradeEvents({ accounts: REQUEST.accounts, payload }).batches()) {
        for (const item of items) {
          if (item.type !== 'event') continue
          onMessage(item)
          left -= 1
        }
        if (left === 0) break
      }
      return undefined
    },
    close: () => void streams[Symbol.asyncDispose](),
  }
}

/** An observer that counts, as one that feeds a metric does. */
export const createSupervisedObserved: CreateBenchClient = (port) => {
  let events = 0
  const observer: StreamObserver = {
    onBatch(batch) {
      events += batch.events
    },
  }
  return createTrade(observer, () => events)(port)
}

/** Ids remembered, each event committed as the next one is asked for, cursors written to a store in memory. */
export const createSupervisedModule: CreateBenchClient = (port) => {
  const entries = new Map<string, string>()
  const store = {
    get: async (key: string) => entries.get(key),
    async compareAndSet(key: string, expected: string | undefined, next: string | undefined) {
      if (entries.get(key) !== expected) return false
      if (next === undefined) entries.delete(key)
      else entries.set(key, next)
      return true
    },
  }
  const streams = open(port, { store, cursorKey: 'bench' })
  let runs = 0
  return {
    async receive(plan, onMessage) {
      // Numbers begin anew with each run: ids that an earlier one committed must not make repeats of them.
      runs += 1
      const stream = streams.moduleEvents({
        modules: BENCH_MODULES,
        consumer: `run ${runs}`,
        timestamp: () => plan,
      })
      let left = messagesOf(plan)
      for await (const item of stream) {
        if (item.type !== 'event') continue
        onMessage(item)
        left -= 1
        if (left === 0) break
      }
      return undefined
    },
    close: () => void streams[Symbol.asyncDispose](),
  }
}

/** What both clients of the module service ask for. */
export const BENCH_EVENT_TYPES = [...new Set(BENCH_MODULES.flatMap((name) => MODULES[name].eventTypes))]
