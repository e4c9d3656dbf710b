/** The service in one process, the consumer in another, and a proxy between them. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type SimulatorOptions, startTcpProxy, type TcpProxyOptions } from '@brokerwire/simulator'
import { type Child, startChild } from '@brokerwire/testing/child'
import type { CaseContext } from '../frame.ts'
import type { ServiceCommands } from '../service-process.ts'
import type { ConsumerCommands, ConsumerOptions } from './consumer-process.ts'
import { compareIds, countNotices, type Ledger, ledgerUntil } from './ledger.ts'

/** Starts a consumer's process, which ends with the case. */
export async function startConsumer(context: CaseContext): Promise<Child<ConsumerCommands>> {
  const child = await startChild<ConsumerCommands>(new URL('consumer-process.ts', import.meta.url))
  context.atEnd(() => child.kill())
  return child
}

export interface FixtureOptions {
  /** Trade events of all accounts instead of module events. */
  readonly trade?: boolean
  readonly simulator?: SimulatorOptions
  readonly proxy?: Partial<TcpProxyOptions>
  readonly consumer?: Partial<ConsumerOptions>
  /** Name of the ledger's file. @defaultValue 'handled.txt' */
  readonly ledger?: string
}

export type Fixture = Awaited<ReturnType<typeof startFixture>>

/** Starts service, proxy and consumer, and waits for the first SubscribeSuccess. */
export async function startFixture(context: CaseContext, options: FixtureOptions = {}) {
  const credentials = { appKey: 'faults', appSecret: randomBytes(16).toString('hex') }
  const common = { ...credentials, moduleEventsPort: 'shared', ...options.simulator } as const
  const startService = async (change: SimulatorOptions) => {
    const child = await startChild<ServiceCommands>(new URL('../service-process.ts', import.meta.url))
    context.atEnd(() => child.kill())
    return { child, ...(await child.call('start', { ...common, ...change })) }
  }
  let service = await startService({})
  const { eventsUrl, accounts } = service
  const proxy = await startTcpProxy({ target: eventsUrl, ...options.proxy })
  context.atEnd(() => proxy.close())
  const ledger = join(context.folder, options.ledger ?? 'handled.txt')
  let consumer: Child<ConsumerCommands>
  const until = (what: string, holds: (ledger: Ledger) => boolean): Promise<Ledger> =>
    ledgerUntil(ledger, what, holds)
  const restartConsumer = async (change: Partial<ConsumerOptions> = {}): Promise<void> => {
    consumer = await startConsumer(context)
    const accountsToRead = options.trade === true ? { accounts } : {}
    await consumer.call('start', {
      ...credentials,
      url: proxy.url,
      ledger,
      ...accountsToRead,
      ...options.consumer,
      ...change,
    })
  }
  await restartConsumer()
  await until('SubscribeSuccess', (found) => countNotices(found, 'subscribed') > 0)
  return {
    get service() {
      return service.child
    },
    get consumer() {
      return consumer
    },
    proxy,
    credentials,
    ledger,
    until,
    /** Waits for so many events in all, repeats included. */
    handled: (count: number) => until(`${count} events`, ({ ids }) => ids.length >= count),
    /** Waits for so many `resumed` notices. */
    resumed: (count: number) =>
      until(`resumption ${count}`, (found) => countNotices(found, 'resumed') >= count),
    emit: (count: number) => service.child.call('emitManyModules', count),
    moduleIds: () => service.child.call('moduleIds'),
    /** Kills the service and starts another one on the same port with these events. */
    async restartService(moduleHistory: SimulatorOptions['moduleHistory']): Promise<void> {
      await service.child.kill()
      service = await startService({ eventsPort: Number(new URL(eventsUrl).port), moduleHistory })
    },
    restartConsumer,
  }
}

/** Checks that each event was handled once, in order, and no other. */
export function promiseExact(context: CaseContext, ledger: Ledger, sent: readonly string[]) {
  const { missing, invented, repeats, inOrder } = compareIds(ledger.ids, sent)
  context.promise(missing === 0, `0 missing, but ${missing}`)
  context.promise(invented === 0, `0 invented, but ${invented}`)
  context.promise(repeats === 0, `0 repeats, but ${repeats}`)
  context.promise(inOrder, 'in the order sent')
  return { events: sent.length, missing, invented, repeats }
}
