/** A relay whose stream keeps messages for seconds, and a reader that is away for longer. Both are restarted with wrong clocks. */
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
import { compareIds, readLedger, reversedGaps, unreported } from '../faults/ledger.ts'
import type { Case, CaseContext, Figures } from '../frame.ts'
import type { SentEvent } from '../service-process.ts'
import { until } from '../wait.ts'
import type { ReaderCommands } from './reader-process.ts'
import type { RelayCommands } from './relay-process.ts'

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

/** Starts servers, service, relay and reader, and returns the objects that the faults change. */
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
      ...{ config: JSON.stringify(config), secrets, natsPorts: [server.port], storePort: store.port },
      ...{ limits: { maxAgeMs: MAX_AGE_MS, maxBytes: MAX_BYTES }, offsetMs: random.pick(OFFSETS_MS) },
    })
  }
  const ledger = join(folder, 'read.txt')
  let reader: Child<ReaderCommands>
  const startReader = async (): Promise<void> => {
    reader = await startChild<ReaderCommands>(new URL('reader-process.ts', import.meta.url))
    const running = reader
    context.atEnd(() => running.kill())
    await reader.call('start', { natsPort: server.port, address, durableName: 'billing', ledger })
  }
  const manage = async () => (await jetstreamManager(connection, { timeout: 2000 })).streams
  await startRelay()
  return {
    app,
    server,
    ledger,
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
    /** Waits until the relay has its stream and all subscriptions. */
    untilFlowing: () =>
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

/** Longer than the stream keeps a message, its server's check of that once a second included. */
const beyondRetention = (): Promise<void> => sleep(MAX_AGE_MS + 1500)

async function inject(world: World, fault: Fault, emit: () => void): Promise<void> {
  const { server, address } = world
  const name = streamName(address)
  switch (fault) {
    case 'relay killed':
      await world.relay.kill()
      emit()
      return world.startRelay()
    case 'relay closed':
      await world.relay.call('close')
      await world.relay.kill()
      emit()
      return world.startRelay()
    case 'relay killed for longer than the retention':
      await world.relay.kill()
      emit()
      await beyondRetention()
      return world.startRelay()
    case 'reader killed':
      await world.reader.kill()
      emit()
      return world.startReader()
    case 'reader away for longer than the retention':
      await world.reader.kill()
      emit()
      await beyondRetention()
      return world.startReader()
    case 'reader stopped for longer than the retention':
      world.reader.process.kill('SIGSTOP')
      emit()
      await beyondRetention()
      world.reader.process.kill('SIGCONT')
      return
    case 'stream purged':
      await (await world.manage()).purge(name)
      return
    case 'stream deleted':
      await (await world.manage()).delete(name)
      return
    case 'stream recreated': {
      const streams = await world.manage()
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

/** @param rounds - Faults after each other; each kind occurs at least once. */
export const retention = (rounds: number): Case => ({
  name: 'short retention',
  promise: 'each event reaches a reader, or lies in a gap that it gets, by the clock of the service',
  needs: ['nats-server', 'redis-server'],
  async run(context): Promise<Figures> {
    const { random, print, promise } = context
    const world = await start(context)
    const sent: SentEvent[] = []
    const emit = (): void => sendSome(world.app, random.integer(1, MAX_EVENTS), sent)
    await world.untilFlowing()
    await world.startReader()
    const counts = new Map<Fault, number>()
    const order = random.shuffle([...FAULTS])
    for (let round = 0; round < Math.max(rounds, FAULTS.length); round += 1) {
      const fault = order[round] ?? random.pick(FAULTS)
      counts.set(fault, (counts.get(fault) ?? 0) + 1)
      emit()
      await sleep(random.integer(0, 400))
      await inject(world, fault, emit)
      emit()
      await sleep(random.integer(0, 800))
      await world.untilFlowing()
      emit()
      // The relay reports its loss when it continues: both have to do so before the next fault.
      await sleep(500)
    }
    const isLast = async (): Promise<true | undefined> => {
      const before = sent.length
      emit()
      await sleep(1000)
      const read = new Set(readLedger(world.ledger).ids)
      return sent.slice(before).every(({ id }) => read.has(id)) || undefined
    }
    const isFlowing = await until('the last events', isLast, { withinMs: LAST_MS }).catch(String)
    promise(isFlowing === true, `the reader gets the last events: ${isFlowing}`)
    const failure = await world.reader.call('failure')
    promise(failure === null, `the reader reads, but ${failure}`)
    const ledger = readLedger(world.ledger)
    const { missing, invented, repeats } = compareIds(
      ledger.ids,
      sent.map(({ id }) => id),
    )
    for (const stream of ['order', 'position', 'module'] as const) {
      const ids = new Set(sent.filter((event) => event.stream === stream).map(({ id }) => id))
      const { inOrder } = compareIds(
        ledger.ids.filter((id) => ids.has(id)),
        [...ids],
      )
      promise(inOrder, `${stream} events are in the order sent`)
    }
    const silent = unreported(ledger, sent)
    for (const { id, atMs } of silent.slice(0, 5)) print(`missing without a gap: ${id}, sent at ${atMs}`)
    promise(silent.length === 0, `0 events are missing without a gap, but ${silent.length}`)
    promise(invented === 0, `0 invented, but ${invented}`)
    const reversed = reversedGaps(ledger)
    promise(reversed === 0, `0 gaps end before they start, but ${reversed}`)
    print([...counts].map(([name, count]) => `${name} ${count}`).join(', '))
    const gaps = ledger.notices.filter(({ kind }) => kind === 'gap').length
    return { events: sent.length, missing, unreported: silent.length, gaps, repeats }
  },
})
