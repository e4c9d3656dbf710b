/** What the latest snapshots of so many symbols hold that nobody takes: bytes of heap and buffers. */
import { createQuotes, type QuotesSocketEvents } from '@brokerwire/quotes'
import { snapshotBlock } from './service.ts'

const [root = '.', symbols = ''] = process.argv.slice(2)
const count = Number(symbols)

const held = (): number => {
  // Twice: what the first leaves to finalizers is gone after the second.
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

let events: QuotesSocketEvents | undefined
const quotes = createQuotes({
  http: { request: async () => ({}) as never },
  mqttUrl: 'mqtts://data-api.example:1883',
  product: { kind: 'server', appKey: 'bench' },
  socket: (_, given) => {
    events = given
    return { send() {}, end() {}, destroy() {} }
  },
})
quotes.set({ symbols: ['S0000'], types: ['snapshot'], category: 'US_STOCK' })
const first = quotes.next()
events?.opened()
// LOGIN is a promise: CONNECT goes out before the answer comes.
await new Promise((resolve) => setImmediate(resolve))
events?.received(Uint8Array.of(0x20, 2, 0, 0))
await first
const before = held()
{
  const block = snapshotBlock(root, count)
  // As a socket hands them over: in pieces.
  for (let at = 0; at < block.length; at += 65_536) events?.received(block.subarray(at, at + 65_536))
}
await new Promise((resolve) => setImmediate(resolve))
const after = held()
let messages = 0
for await (const items of quotes.batches()) {
  messages += items.filter(({ type }) => type === 'message').length
  if (messages === count) break
}
console.log(JSON.stringify({ messages, bytes: after - before }))
