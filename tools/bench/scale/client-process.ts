/** Many streams of one client in a separate process, each on its own connection. */
import { once } from 'node:events'
import type { Store } from '@brokerwire/core'
import { createSigner } from '@brokerwire/signer'
import { createMemoryStore } from '@brokerwire/stores'
import { createStreams, createSubscriptionBudget } from '@brokerwire/streams'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { type ClientReadableStream, credentials, makeClientConstructor } from '@grpc/grpc-js'
import { concurrently } from '../../ci/lib/concurrently.ts'
import { type ScaleService, serviceName, serviceOf } from './service.ts'
import { usage } from './usage.ts'

/**
 * Number of connections that are opened at the same time. If it were larger than the server's backlog, some
 * connections would wait until TCP sends its SYN again.
 */
const MAX_OPENING = 100
const ACCOUNTS = ['SH7460PG7B03A4TQGWBBBA0P3B']

let events = 0
let wanted = 0
let onReached: () => void = () => {}

function received(): void {
  events += 1
  if (events === wanted) onReached()
}

/** Opens a stream. Resolves with the first message. */
type OpenStream = (number: number) => Promise<unknown>

function supervised(
  service: ScaleService,
  port: number,
  count: number,
  store: Store | undefined,
): OpenStream {
  const url = `http://127.0.0.1:${port}`
  const streams = createStreams({
    signer: createSigner({ appKey: 'bench', appSecret: 'bench-secret' }),
    ...{ eventsUrl: url, moduleEventsUrl: url },
    budget: createSubscriptionBudget({ max: count }),
    store,
    identity: { environment: 'sandbox', region: 'us', appKey: 'bench' },
  })
  const open = (number: number): AsyncIterable<{ readonly type: string }> =>
    service === 'trade'
      ? streams.tradeEvents({ accounts: ACCOUNTS, consumer: `stream ${number}` })
      : streams.moduleEvents({ modules: ['funding'], consumer: `stream ${number}` })
  return (number) =>
    new Promise((resolve, reject) => {
      const receive = async (): Promise<void> => {
        for await (const item of open(number)) {
          if (item.type === 'event') received()
          else resolve(item)
        }
      }
      receive().catch(reject)
    })
}

function grpcJs(service: ScaleService, port: number, protos: string): OpenStream {
  const Client = makeClientConstructor(serviceOf(service, protos), serviceName(service))
  // By default all grpc-js clients of a process share one connection. With this option, each client has its
  // own.
  const options = { 'grpc.use_local_subchannel_pool': 1 }
  return async () => {
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), options)
    const call = (
      client as unknown as { Subscribe(request: object): ClientReadableStream<object> }
    ).Subscribe({
      ...{ subscribeType: 1, accounts: ACCOUNTS, events: [] },
    })
    const first = once(call, 'data')
    await first
    call.on('data', received)
  }
}

/** `unstored` is a supervised stream that stores no progress, which grpc-js does not do either. */
export type ScaleClient = 'supervised' | 'unstored' | 'grpc-js'

function opener(
  client: ScaleClient,
  service: ScaleService,
  port: number,
  count: number,
  protos: string,
): OpenStream {
  if (client === 'grpc-js') return grpcJs(service, port, protos)
  return supervised(service, port, count, client === 'supervised' ? createMemoryStore() : undefined)
}

const commands = {
  /**
   * Opens streams.
   *
   * @returns Milliseconds until all are open.
   */
  async open(client: ScaleClient, service: ScaleService, port: number, count: number, protos: string) {
    const open = opener(client, service, port, count, protos)
    const start = performance.now()
    await concurrently(Array(count).keys(), MAX_OPENING, open)
    return performance.now() - start
  },
  /** Starts to count. The promise that `take` returns then resolves after `count` events. */
  begin(count: number) {
    wanted = events + count
    const cpu = process.cpuUsage()
    taken = new Promise((resolve) => {
      onReached = () => {
        const { user, system } = process.cpuUsage(cpu)
        resolve(user + system)
      }
    })
  },
  /** @returns Microseconds of CPU time between `begin` and the last of its events. */
  take: () => taken,
  rss: usage.rss,
}
let taken: Promise<number> = Promise.resolve(0)
export type ClientCommands = typeof commands
serveCalls(commands)
