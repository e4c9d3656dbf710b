/** The service and the consumer, each in its own process, and a proxy between them. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type SimulatorOptions, startTcpProxy, type TcpProxyOptions } from '@brokerwire/simulator'
import { type Child, startChild } from '@brokerwire/testing/child'
import type { CaseContext } from '../harness.ts'
import type { ServiceCommands } from '../service-process.ts'
import type { ConsumerCommands, ConsumerOptions } from './consumer-process.ts'
import { compareIds, countNotices, type EventLog, waitForEventLog } from './event-log.ts'

const POLL_MS = 20
const MAX_POLLS = 100

/**
 * Starts a consumer's process. At the end of the case, its metrics must have as many gaps as it handled, and
 * it is killed.
 */
export async function startConsumer(context: CaseContext): Promise<Child<ConsumerCommands>> {
  const child = await startChild<ConsumerCommands>(new URL('consumer-process.ts', import.meta.url))
  context.atEnd(async () => {
    if (child.isAlive) await checkGaps(context, child)
    await child.kill()
  })
  return child
}

/** Checks that the metric `brokerwire.stream.gap` counts each gap notice once. Waits for queued notices. */
async function checkGaps(context: CaseContext, child: Child<ConsumerCommands>): Promise<void> {
  let gaps = await child.call('gaps')
  for (let poll = 0; poll < MAX_POLLS && gaps.handled < gaps.measured; poll += 1) {
    await sleep(POLL_MS)
    gaps = await child.call('gaps')
  }
  const { handled, measured } = gaps
  context.check(handled === measured, `the metric has ${handled} gaps, but ${measured}`)
}

export interface FixtureOptions {
  /** Use trade events of all accounts instead of module events. */
  readonly trade?: boolean
  readonly simulator?: SimulatorOptions
  readonly proxy?: Partial<TcpProxyOptions>
  readonly consumer?: Partial<ConsumerOptions>
  /**
   * File name of the event log.
   * @defaultValue 'handled.txt'
   */
  readonly eventLog?: string
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
  const eventLog = join(context.folder, options.eventLog ?? 'handled.txt')
  let consumer: Child<ConsumerCommands>
  const until = (what: string, holds: (eventLog: EventLog) => boolean): Promise<EventLog> =>
    waitForEventLog(eventLog, what, holds)
  const restartConsumer = async (change: Partial<ConsumerOptions> = {}): Promise<void> => {
    consumer = await startConsumer(context)
    const accountsToRead = options.trade === true ? { accounts } : {}
    await consumer.call('start', {
      ...credentials,
      url: proxy.url,
      eventLog,
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
    eventLog,
    until,
    /** Waits until `count` events are in the log, duplicates included. */
    handled: (count: number) => until(`${count} events`, ({ ids }) => ids.length >= count),
    /** Waits until `count` `resumed` notices are in the log. */
    resumed: (count: number) =>
      until(`resumption ${count}`, (found) => countNotices(found, 'resumed') >= count),
    emit: (count: number) => service.child.call('emitManyModules', count),
    moduleIds: () => service.child.call('moduleIds'),
    /** Kills the service, and starts another one on the same port with these events in its history. */
    async restartService(moduleHistory: SimulatorOptions['moduleHistory']): Promise<void> {
      await service.child.kill()
      service = await startService({ eventsPort: Number(new URL(eventsUrl).port), moduleHistory })
    },
    restartConsumer,
  }
}

/** Checks that each event was handled once and in order, and that no other event was handled. */
export function checkExact(context: CaseContext, eventLog: EventLog, sent: readonly string[]) {
  const { missing, invented, duplicates, inOrder } = compareIds(eventLog.ids, sent)
  context.check(missing === 0, `0 missing, but ${missing}`)
  context.check(invented === 0, `0 invented, but ${invented}`)
  context.check(duplicates === 0, `0 duplicates, but ${duplicates}`)
  context.check(inOrder, 'in the order sent')
  return { events: sent.length, missing, invented, duplicates }
}
