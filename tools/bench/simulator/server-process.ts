/** The simulator, or a bare connect-node server that sends the same frames to every open stream. */
import { createServer } from 'node:http2'
import { TradeEventService, TradeSubscribeResponseSchema } from '@brokerwire/protos'
import { startSimulator } from '@brokerwire/simulator'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { listenLocally } from '@brokerwire/testing/listen'
import { create } from '@bufbuild/protobuf'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { interleave, median } from '../benchmark.ts'

const ACCOUNT = 'BENCH00000000000000000000A'
const EVENT_BYTES = 700
const payload = JSON.stringify({ filler: 'x'.repeat(EVENT_BYTES - 13) })
const frame = { eventType: 1024, contentType: 'application/json', payload, requestId: 'R'.repeat(25) }

/** Sends `count` frames to every stream. */
let send: (count: number) => void = () => {}

async function startOurs() {
  const simulator = await startSimulator({ maxConnections: 10_000, pingIntervalMs: 0, accounts: [ACCOUNT] })
  const { appKey, appSecret } = simulator.credentials
  send = (count) => {
    for (let index = 0; index < count; index += 1) simulator.emitTradeFrame(frame)
  }
  return { url: simulator.eventsUrl, appKey, appSecret: appSecret.reveal(), account: ACCOUNT }
}

async function startConnectNode() {
  let due = 0
  let wake: () => void = () => {}
  let woken: Promise<void>
  const sleep = (): void => {
    woken = new Promise((resolve) => {
      wake = resolve
    })
  }
  sleep()
  const message = create(TradeSubscribeResponseSchema, { ...frame, timestamp: BigInt(Date.now()) })
  const handler = connectNodeAdapter({
    routes(router) {
      router.service(TradeEventService, {
        async *subscribe() {
          yield create(TradeSubscribeResponseSchema, {})
          for (let index = due; ; index += 1) {
            while (index >= due) await woken
            yield message
          }
        },
      })
    },
  })
  const { port } = await listenLocally(createServer(handler))
  send = (count) => {
    due += count
    wake()
    sleep()
  }
  return { url: `http://127.0.0.1:${port}`, appKey: 'bench', appSecret: 'bench', account: ACCOUNT }
}

/**
 * Functions that start a server and close it.
 *
 * @returns The milliseconds until the start is complete, without the time to close.
 */
const starts = {
  async simulator() {
    const start = performance.now()
    const simulator = await startSimulator()
    const ms = performance.now() - start
    await simulator.close()
    return ms
  },
  async bare() {
    const server = createServer()
    const start = performance.now()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const ms = performance.now() - start
    await new Promise((resolve) => server.close(resolve))
    return ms
  },
}

const commands = {
  /** Measures the starts of both servers, and returns the medians in milliseconds. */
  async measureStart(rounds: number) {
    const { simulator, bare } = await interleave(starts, rounds, (start) => start(), 50)
    return { simulator: median(simulator), bare: median(bare) }
  },
  start: (kind: 'simulator' | 'connect-node') => (kind === 'simulator' ? startOurs() : startConnectNode()),
  send: (count: number) => send(count),
  rss: () => process.memoryUsage.rss(),
}
export type ServerCommands = typeof commands
serveCalls(commands)
