/**
 * A server in a process of its own: the simulator, or a bare connect-node server that sends the same frames. It says where
 * it is, and for each line `N` on its input sends N frames to every open stream.
 */
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { TradeEventService, TradeSubscribeResponseSchema } from '@brokerwire/protos'
import { startSimulator } from '@brokerwire/simulator'
import { create } from '@bufbuild/protobuf'
import { connectNodeAdapter } from '@connectrpc/connect-node'

const ACCOUNT = 'BENCH00000000000000000000A'
const EVENT_BYTES = 700
const payload = JSON.stringify({ filler: 'x'.repeat(EVENT_BYTES - 13) })
const frame = { eventType: 1024, contentType: 'application/json', payload, requestId: 'R'.repeat(25) }

/** Sends so many frames to every stream. */
let send: (count: number) => void
let told: Readonly<Record<string, unknown>>

if (process.argv[2] === 'simulator') {
  const simulator = await startSimulator({ maxConnections: 10_000, pingIntervalMs: 0, accounts: [ACCOUNT] })
  const { appKey, appSecret } = simulator.credentials
  send = (count) => {
    for (let index = 0; index < count; index += 1) simulator.emitTradeFrame(frame)
  }
  told = { url: simulator.eventsUrl, appKey, appSecret: appSecret.reveal() }
} else {
  let sent = 0
  let wake: () => void = () => undefined
  let woken = new Promise<void>((resolve) => {
    wake = resolve
  })
  const message = create(TradeSubscribeResponseSchema, { ...frame, timestamp: BigInt(Date.now()) })
  const handler = connectNodeAdapter({
    routes(router) {
      router.service(TradeEventService, {
        async *subscribe() {
          yield create(TradeSubscribeResponseSchema, {})
          for (let index = sent; ; index += 1) {
            while (index >= sent) await woken
            yield message
          }
        },
      })
    },
  })
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  send = (count) => {
    sent += count
    wake()
    woken = new Promise<void>((resolve) => {
      wake = resolve
    })
  }
  told = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    appKey: 'bench',
    appSecret: 'bench',
  }
}

console.log(JSON.stringify({ ...told, account: ACCOUNT }))
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'rss') console.log(JSON.stringify({ rss: process.memoryUsage.rss() }))
  else send(Number(line))
}
process.exit(0)
