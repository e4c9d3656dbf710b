/**
 * A relay whose stream stores messages for seconds, and a reader that pauses for longer. Both are restarted
 * with wrong clocks.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type SimulatedApp, startSimulator } from '@brokerwire/simulator'
import { type Child, startChild } from '@brokerwire/testing/child'
import { startNats } from '@brokerwire/testing/nats'
import { startRedis } from '@brokerwire/testing/redis'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { type StreamAddress, streamName } from '../../../packages/relay/src/wire/subjects.ts'
import { compareIds, readEventLog, reversedGaps, unreported } from '../faults/event-log.ts'
import type { Case, CaseContext, Figures } from '../harness.ts'
import type { SentEvent } from '../service-process.ts'
import { until } from '../wait.ts'
import type { ReaderCommands } from './reader-process.ts'
import type { RelayCommands } from './relay-process.ts'
import type { SinkPlace } from './sink-place.ts'

const PREFIX = 'retention'
const HEARTBEAT_MS = 400
const MAX_AGE_MS = 2000
const MAX_BYTES = 256 * 1024
const OFFSETS_MS = [0, 120_000, -120_000]
const MAX_EVENTS = 10
const MODULES = ['application', 'journal', 'funding'] as const
const SUBSCRIPTIONS = 3
const LAST_MS = 120_000

const FAULTS = [
  'relay killed',
  'relay closed',
  'relay killed for longer than the retention',
  'reader killed',
  'reader away for longer than the retention',
  'reader stopped for longer than the retention',
  'stream purged',
  'stream deleted',
  'stream recreated',
  'server killed',
  'server restored empty',
] as const
type Fault = (typeof FAULTS)[number]

function sendSome(app: SimulatedApp, count: number, sent: SentEvent[]): void {
  for (let n = 0; n < count; n += 1) {
    const module = MODULES[n % MODULES.length] ?? 'application'
    const { id, timestamp } = app.emitModule({ module })
    sent.push({ stream: 'module', id, atMs: Date.parse(timestamp) })
    const input = { accountId: app.accounts[0] }
    const order = app.emitOrder(input)
    sent.push({ stream: 'order', id: order.requestId, atMs: order.timestampMs })
    const position = app.emitPosition(input)
    sent.push({ stream: 'position', id: position.requestId, atMs: position.timestampMs })
  }
}

/** Starts servers, service, relay and reader. Returns the parts that the faults change. */
async function start(context: CaseContext) {
  const { random, folder } = context
  const [server, store, simulator] = await Promise.all([
    startNats(),
    startRedis(),
    startSimulator({
      moduleEventsPort: 'shared',
      slotLingerMs: 0,
      pingIntervalMs: 200,
      apps: [{ name: 'desk' }],
    }),
  ])
  context.atEnd(() => Promise.all([server.close(), store.close(), simulator.close()]))
  const [app] = simulator.apps
  if (app === undefined) throw new Error('the simulator has an app')
  const connection = await connect({
    servers: `127.0.0.1:${server.port}`,
    reconnectTimeWait: 50,
    maxReconnectAttempts: -1,
    timeout: 2000,
  })
  context.atEnd(() => connection.close())
  const address: StreamAddress = { prefix: PREFIX, environment: 'production', region: 'us', app: app.name }
  const config = {
    cluster: PREFIX,
    prefix: PREFIX,
    name: 'relay',
    heartbeatIntervalMs: HEARTBEAT_MS,
    slotLingerMs: 0,
    apps: [
      {
        name: app.name,
        environment: 'production',
        region: 'us',
        appKey: { env: 'APP_KEY' },
        appSecret: { env: 'APP_SECRET' },
        accounts: app.accounts,
        modules: [...MODULES],
        eventsUrl: simulator.eventsUrl,
        moduleEventsUrl: simulator.eventsUrl,
      },
    ],
  }
  const secrets = {
    'apps[0].appKey': app.credentials.appKey,
    'apps[0].appSecret': app.credentials.appSecret.reveal(),
  }
  let relay: Child<RelayCommands>
  const startRelay = async (): Promise<void> => {
    relay = await startChild<RelayCommands>(new URL('relay-process.ts', import.meta.url), () => {})
    const running = relay
    context.atEnd(() => running.kill())
    await relay.call('start', {
      config: JSON.stringify(config),
      secrets,
      sink: {
        kind: 'jetstream',
        ports: [server.port],
        limits: { maxAgeMs: MAX_AGE_MS, maxBytes: MAX_BYTES },
      },
      storePort: store.port,
      offsetMs: random.pick(OFFSETS_MS),
    })
  }
  const eventLog = join(folder, 'read.txt')
  let reader: Child<ReaderCommands>
  const startReader = async (): Promise<void> => {
    reader = await startChild<ReaderCommands>(new URL('reader-process.ts', import.meta.url))
    const running = reader
    context.atEnd(() => running.kill())
    const place: SinkPlace = { kind: 'jetstream', ports: [server.port] }
    await reader.call('start', { place, address, name: 'billing', eventLog })
  }
  const manage = async () => (await jetstreamManager(connection, { timeout: 2000 })).streams
  await startRelay()
  return {
    app,
    server,
    eventLog,
    address,
    startRelay,
    startReader,
    manage,
    get relay() {
      return relay
    },
    get reader() {
      return reader
    },
    /** Waits until the relay is the writer of its stream and has all subscriptions. */
    untilSubscribed: () =>
      until(
        'the stream and all subscriptions',
        async () => {
          await (await manage()).info(streamName(address))
          return app.subscriptions().length === SUBSCRIPTIONS || undefined
        },
        { withinMs: LAST_MS, everyMs: 50 },
      ),
  }
}
type World = Awaited<ReturnType<typeof start>>

/**
 * Waits for longer than the stream stores a message. The NATS server checks the age of messages once per
 * second.
 */
const beyondRetention = (): Promise<void> => sleep(MAX_AGE_MS + 1500)

async function inject(setup: World, fault: Fault, emit: () => void): Promise<void> {
  const { server, address } = setup
  const name = streamName(address)
  switch (fault) {
    case 'relay killed':
      await setup.relay.kill()
      emit()
      return setup.startRelay()
    case 'relay closed':
      await setup.relay.call('close')
      await setup.relay.kill()
      emit()
      return setup.startRelay()
    case 'relay killed for longer than the retention':
      await setup.relay.kill()
      emit()
      await beyondRetention()
      return setup.startRelay()
    case 'reader killed':
      await setup.reader.kill()
      emit()
      return setup.startReader()
    case 'reader away for longer than the retention':
      await setup.reader.kill()
      emit()
      await beyondRetention()
      return setup.startReader()
    case 'reader stopped for longer than the retention':
      setup.reader.process.kill('SIGSTOP')
      emit()
      await beyondRetention()
      setup.reader.process.kill('SIGCONT')
      return
    case 'stream purged':
      await (await setup.manage()).purge(name)
      return
    case 'stream deleted':
      await (await setup.manage()).delete(name)
      return
    case 'stream recreated': {
      const streams = await setup.manage()
      const { config } = await streams.info(name)
      await streams.delete(name)
      await streams.add(config)
      return
    }
    case 'server killed':
      await server.kill()
      emit()
      await server.restart()
      return
    case 'server restored empty':
      await server.kill()
      emit()
      rmSync(join(server.directory, 'jetstream'), { recursive: true, force: true })
      await server.restart()
      return
  }
}

/** @param rounds - Number of faults, which follow each other. Each kind occurs at least once. */
export const retention = (rounds: number): Case => ({
  name: 'short retention',
  promise:
    'each event is delivered to the reader, or is in a gap that is delivered to it, by the clock of the service',
  needs: ['nats-server', 'redis-server'],
  async run(context): Promise<Figures> {
    const { random, print, check } = context
    const setup = await start(context)
    const sent: SentEvent[] = []
    const emit = (): void => sendSome(setup.app, random.integer(1, MAX_EVENTS), sent)
    await setup.untilSubscribed()
    await setup.startReader()
    const counts = new Map<Fault, number>()
    const order = random.shuffle([...FAULTS])
    for (let round = 0; round < Math.max(rounds, FAULTS.length); round += 1) {
      const fault = order[round] ?? random.pick(FAULTS)
      counts.set(fault, (counts.get(fault) ?? 0) + 1)
      emit()
      await sleep(random.integer(0, 400))
      await inject(setup, fault, emit)
      emit()
      await sleep(random.integer(0, 800))
      await setup.untilSubscribed()
      emit()
      // Relay and reader must report their losses before the next fault. The relay reports its losses when it
      // continues.
      await sleep(500)
    }
    const isLast = async (): Promise<true | undefined> => {
      const before = sent.length
      emit()
      await sleep(1000)
      const read = new Set(readEventLog(setup.eventLog).ids)
      return sent.slice(before).every(({ id }) => read.has(id)) || undefined
    }
    const isFlowing = await until('the last events', isLast, { withinMs: LAST_MS }).catch(String)
    check(isFlowing === true, `the reader gets the last events: ${isFlowing}`)
    const failure = await setup.reader.call('failure')
    check(failure === null, `the reader reads, but ${failure}`)
    const eventLog = readEventLog(setup.eventLog)
    const { missing, invented, duplicates } = compareIds(
      eventLog.ids,
      sent.map(({ id }) => id),
    )
    for (const stream of ['order', 'position', 'module'] as const) {
      const ids = new Set(sent.filter((event) => event.stream === stream).map(({ id }) => id))
      const { inOrder } = compareIds(
        eventLog.ids.filter((id) => ids.has(id)),
        [...ids],
      )
      check(inOrder, `${stream} events are in the order sent`)
    }
    const silent = unreported(eventLog, sent)
    for (const { id, atMs } of silent.slice(0, 5)) print(`missing without a gap: ${id}, sent at ${atMs}`)
    check(silent.length === 0, `0 events are missing without a gap, but ${silent.length}`)
    check(invented === 0, `0 invented, but ${invented}`)
    const reversed = reversedGaps(eventLog)
    check(reversed === 0, `0 gaps end before they start, but ${reversed}`)
    print([...counts].map(([name, count]) => `${name} ${count}`).join(', '))
    const gaps = eventLog.notices.filter(({ kind }) => kind === 'gap').length
    return { events: sent.length, missing, unreported: silent.length, gaps, duplicates }
  },
})
