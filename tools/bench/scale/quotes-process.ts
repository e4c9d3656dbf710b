/** A client of market data with many symbols. */
import { setTimeout as delay } from 'node:timers/promises'
import { createBrokerage } from '@brokerwire/edge'
import { createQuotes } from '@brokerwire/quotes'
import { serveCalls } from '@brokerwire/testing/child-calls'
import type { SimulatedQuotes } from './simulator-process.ts'
import { usage } from './usage.ts'

const SYMBOLS_PER_CONNECTION = 100

let received = 0

const commands = {
  /**
   * Subscribes.
   *
   * @returns Milliseconds until all symbols are confirmed.
   */
  async open({ baseUrl, mqttUrl, appKey, appSecret }: SimulatedQuotes, count: number): Promise<number> {
    const credentials = { region: 'us', environment: 'sandbox', appKey, appSecret } as const
    const quotes = createQuotes({
      http: createBrokerage({ ...credentials, overrides: { baseUrl } }).http,
      mqttUrl,
      product: { kind: 'server', appKey },
      // This is more connections than the service allows for an app key. The clients of several app keys in
      // one process would cost the same.
      maxConnections: Math.ceil(count / SYMBOLS_PER_CONNECTION),
    })
    const symbols = Array.from({ length: count }, (_, at) => `S${at}`)
    quotes.set({ symbols, types: ['snapshot'], category: 'US_STOCK' })
    const start = performance.now()
    void (async () => {
      // If a message in the buffer is replaced by a newer message of the same symbol, `replaced` counts it.
      for await (const item of quotes) if (item.type === 'message') received += 1 + item.replaced
    })()
    while (quotes.confirmed().length < count) await delay(10)
    return performance.now() - start
  },
  received: () => received,
  ...usage,
}
export type QuotesCommands = typeof commands
serveCalls(commands)
