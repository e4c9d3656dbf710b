/** The service in one process, the consumer in another, and a proxy between them. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import {
  type SimulatorOptions,
  startTcpProxy,
  type TcpProxy,
  type TcpProxyOptions,
} from '@brokerwire/simulator'
import { type Child, startChild } from './child.ts'
import type { ConsumerCommands, ConsumerOptions } from './consumer-process.ts'
import { compareIds, type Ledger, ledgerUntil } from './ledger.ts'
import type { RunContext } from './scenario.ts'
import type { ServerCommands } from './server-process.ts'

/** Processes under the harness's hand. */
export interface World {
  readonly server: Child<ServerCommands>
  readonly consumer: Child<ConsumerCommands>
  readonly proxy: TcpProxy
  readonly accounts: readonly string[]
  readonly credentials: { readonly appKey: string; readonly appSecret: string }
  readonly ledger: string
  /** Waits for so many events in all, repeats included. */
  handled(count: number): Promise<Ledger>
  /** Waits for something else that the ledger says. */
  until(what: string, holds: (ledger: Ledger) => boolean): Promise<Ledger>
  /** Kills the service, and starts another one on the same port that knows what the first one sent. */
  restartServer(history: SimulatorOptions['moduleHistory']): Promise<void>
  /** Kills the consumer. */
  killConsumer(): Promise<void>
  startConsumer(): Promise<void>
}

/** Options of {@link startWorld}. */
export interface WorldOptions {
  /** Trade events of all accounts instead of module events. */
  readonly trade?: boolean
  readonly simulator?: SimulatorOptions
  readonly proxy?: Partial<TcpProxyOptions>
  readonly consumer?: Partial<ConsumerOptions>
  /** File name, where one scenario has two worlds. @defaultValue 'handled.txt' */
  readonly ledger?: string
}

/** Starts all three, and waits for the first SubscribeSuccess. */
export async function startWorld(context: RunContext, options: WorldOptions = {}): Promise<World> {
  const credentials = { appKey: 'faults', appSecret: randomBytes(16).toString('hex') }
  const common = { ...credentials, moduleEventsPort: 'shared', ...options.simulator } as const
  const startServer = async (change: SimulatorOptions) => {
    const child = startChild<ServerCommands>('server-process.ts')
    context.atEnd(() => child.kill())
    return { child, ...(await child.call('start', { ...common, ...change })) }
  }
  let server = await startServer({})
  const port = Number(new URL(server.eventsUrl).port)
  const proxy = await startTcpProxy({ target: server.eventsUrl, ...options.proxy })
  context.atEnd(() => proxy.close())
  const ledger = join(context.folder, options.ledger ?? 'handled.txt')
  const { accounts } = server
  const settings: ConsumerOptions = {
    ...credentials,
    url: proxy.url,
    ledger,
    ...(options.trade === true ? { accounts } : {}),
    ...options.consumer,
  }
  const startConsumer = async (): Promise<Child<ConsumerCommands>> => {
    const child = startChild<ConsumerCommands>('consumer-process.ts')
    context.atEnd(() => child.kill())
    await child.call('start', settings)
    return child
  }
  let consumer = await startConsumer()
  const until: World['until'] = (what, holds) => ledgerUntil(ledger, what, holds)
  await until('SubscribeSuccess', ({ notices }) => notices.some(({ kind }) => kind === 'subscribed'))
  return {
    get server() {
      return server.child
    },
    get consumer() {
      return consumer
    },
    proxy,
    accounts,
    credentials,
    ledger,
    until,
    handled: (count) => until(`${count} events`, ({ ids }) => ids.length >= count),
    async restartServer(moduleHistory) {
      await server.child.kill()
      server = await startServer({ eventsPort: port, moduleHistory })
    },
    killConsumer: () => consumer.kill(),
    async startConsumer() {
      consumer = await startConsumer()
    },
  }
}

/** Nothing missing, nothing invented, nothing twice, all in order. */
export function promiseExact(context: RunContext, ledger: Ledger, sent: readonly string[]) {
  const { missing, invented, repeats, inOrder } = compareIds(ledger.ids, sent)
  context.promise(missing === 0, `0 missing, but ${missing}`)
  context.promise(invented === 0, `0 invented, but ${invented}`)
  context.promise(repeats === 0, `0 repeats, but ${repeats}`)
  context.promise(inOrder, 'in the order sent')
  return { events: sent.length, missing, invented, repeats }
}
