/**
 * The parts of a run: troubles at random while places are free at once, relays that die while places linger, and a fleet in
 * virtual time.
 */

import { createJetStreamApi } from '../../../packages/relay/src/nats/jetstream-api.ts'
import {
  type FleetSize,
  fleetBounds,
  simulateFleet,
} from '../../../packages/relay/src/test/fleet-simulation.ts'
import { HEADER } from '../../../packages/relay/src/wire/headers.ts'
import type { Random } from '../attacks/random.ts'
import { pause } from '../stores/troubles.ts'
import { judge, takeovers, type Verdict } from './judge.ts'
import { readStream } from './read-stream.ts'
import { createService, type Service } from './service.ts'
import { drawTroubles, type Scene, strike } from './troubles.ts'
import { type Servers, startWorld, type World } from './world.ts'

/** How large a run is. */
export interface Plan {
  readonly keys: number
  readonly modules: number
  readonly trades: number
  readonly beatMs: number
  readonly rounds: number
  /** Of the second part. */
  readonly lingerMs: number
  /** Of the third. */
  readonly fleet: Omit<FleetSize, 'seed'>
}

export interface PhaseContext {
  readonly servers: Servers
  readonly program: string
  readonly plan: Plan
  readonly random: Random
  readonly print: (line: string) => void
}

/** What a part has shown. */
export interface PhaseResult {
  readonly broken: readonly string[]
}

/** A relay whose beat stands still counts as dead within so many. */
const DEAD_BEATS = 6
const MAX_OPEN = 5
/** Real time: the last events are there by then, or never. */
const LAST_MS = 300_000
const SEND_AGAIN_MS = 10_000
const WATCH_EVERY_MS = 20
/** So many that each module and both sorts of trade events are among them. */
const EACH_SORT = 5

/** Looks how many connections each key has, as the service counts them. */
function watchConnections(world: World): { readonly most: number; stop(): void } {
  let most = 0
  const timer = setInterval(() => {
    for (const app of world.simulator.apps) most = Math.max(most, app.subscriptions().length)
  }, WATCH_EVERY_MS)
  return {
    get most() {
      return most
    },
    stop: () => clearInterval(timer),
  }
}

const refusals = (world: World): number =>
  world.simulator.requests().filter(({ errorCode }) => errorCode === 'connection-limit').length

const SORTS = ['module', 'trade', 'position'] as const

/**
 * Until the last event that the service sent of each sort stands in the streams. A trade event may lie within the gap of a
 * handover that began just then: after a while some more are sent, and all are looked for again.
 */
async function untilStored(world: World, service: Service): Promise<void> {
  const isStored = async (key: string, sort: (typeof SORTS)[number]): Promise<boolean> => {
    const last = service.sent
      .get(key)
      ?.filter(({ stream }) => stream === sort)
      .at(-1)
    if (last === undefined) return true
    const stream = world.streamOf(key)
    const api = createJetStreamApi(world.connection, stream, { timeoutMs: 2000, domain: undefined })
    const filter = `${stream.replaceAll('_', '.')}.${sort}.event.>`
    const found = await api.message({ last_by_subj: filter }).catch(() => undefined)
    return (found?.headers[HEADER.id] ?? found?.headers[HEADER.requestId]) === last.id
  }
  const areStored = async (): Promise<boolean> => {
    for (const key of world.keys) for (const sort of SORTS) if (!(await isStored(key, sort))) return false
    return true
  }
  const untilMs = performance.now() + LAST_MS
  let againMs = performance.now() + SEND_AGAIN_MS
  while (!(await areStored()) && performance.now() < untilMs) {
    if (performance.now() >= againMs) {
      service.sendSome(EACH_SORT)
      againMs += SEND_AGAIN_MS
    }
    await pause(50)
  }
}

const sum = (verdicts: readonly Verdict[], of: (verdict: Verdict) => number): number =>
  verdicts.reduce((total, verdict) => total + of(verdict), 0)

function timesOf(times: readonly number[]): string {
  if (times.length === 0) return 'none'
  const sorted = [...times].sort((one, other) => one - other)
  const seconds = (ms: number | undefined): string => `${((ms ?? 0) / 1000).toFixed(1)} s`
  return `median ${seconds(sorted[Math.floor(sorted.length / 2)])}, maximum ${seconds(sorted.at(-1))} of ${sorted.length}`
}

/** Ends the world, reads all that stands in its streams, and says what is wrong. */
async function conclude(
  world: World,
  service: Service,
  print: PhaseContext['print'],
  most: number,
): Promise<string[]> {
  await world.untilFlowing()
  service.sendSome(EACH_SORT)
  await untilStored(world, service)
  const refused = refusals(world)
  await world.close()
  const verdicts: Verdict[] = []
  const times: Record<string, number[]> = { module: [], trade: [], position: [] }
  for (const key of world.keys) {
    const messages = await readStream(world.connection, world.streamOf(key))
    verdicts.push(judge(messages, service.sent.get(key) ?? []))
    for (const [stream, found] of Object.entries(takeovers(messages, world.kills)))
      times[stream]?.push(...found)
  }
  for (const [at, { missingAt }] of verdicts.entries())
    for (const place of missingAt) print(`${world.keys[at]}: ${place}`)
  const of = (pick: (verdict: Verdict) => number): number => sum(verdicts, pick)
  const { heard } = world
  print(
    `module events: ${of((one) => one.modules)} in the streams, ${of((one) => one.missing)} missing, ${of((one) => one.twice)} twice, ${of((one) => one.outOfOrder)} out of order`,
  )
  print(
    `trade and position events: ${of((one) => one.lost)} lost, of them ${of((one) => one.unexplained)} outside of ${of((one) => one.gaps)} gaps, ${of((one) => one.tradesTwice)} twice`,
  )
  print(
    `holders: ${heard.taken} takings, ${heard.fenced} fenced, ${heard.lost} memberships lost; earlier holders tried to write ${heard.refused} messages, of which ${of((one) => one.foreign)} are in a stream`,
  )
  print(
    `replayed by the service and left out: ${heard.repeats}; connections of a key: at most ${most}, ${refused} refused and waited for`,
  )
  for (const [stream, found] of Object.entries(times))
    print(`${stream} events flow again after a kill: ${timesOf(found)}`)
  const wrong: readonly (readonly [string, number])[] = [
    ['module events missing', of((one) => one.missing)],
    ['module events twice', of((one) => one.twice)],
    ['module events out of order', of((one) => one.outOfOrder)],
    ['events that nobody sent', of((one) => one.invented)],
    ['events that are not as they were sent', of((one) => one.altered)],
    ['trade events lost outside of gaps', of((one) => one.unexplained)],
    ['trade events twice', of((one) => one.tradesTwice)],
    ['gaps without a beginning', of((one) => one.openGaps)],
    ['messages of an earlier holder behind a later one', of((one) => one.foreign)],
    ['connections of a key over five', Math.max(0, most - MAX_OPEN)],
  ]
  const broken = wrong.filter(([, count]) => count > 0).map(([what, count]) => `${what}: ${count}`)
  return [...broken, ...heard.failed.map((what) => `a key failed: ${what}`)]
}

/** Everything at random, while what the service counts is free at once. */
export async function runTroubles(context: PhaseContext): Promise<PhaseResult> {
  const { servers, program, plan, random, print } = context
  const { keys, beatMs, rounds, modules, trades } = plan
  const world = await startWorld(servers, { program, keys, beatMs, slotLingerMs: 0 })
  const service = createService(world.simulator.apps, random.fork('events'))
  const leaseMs = DEAD_BEATS * beatMs
  const scene: Scene = { world, service, random: random.fork('troubles'), leaseMs }
  const watched = watchConnections(world)
  const broken: string[] = []
  const counts = new Map<string, number>()
  let repeated = 0
  // An event type that never had an event has no position: what nobody follows of it is lost, and a gap says so.
  service.sendSome(EACH_SORT)
  await untilStored(world, service)
  try {
    for (const [round, names] of drawTroubles(rounds, scene.random).entries()) {
      const share = (count: number): number =>
        Math.floor((count * (round + 1)) / rounds) - Math.floor((count * round) / rounds)
      let isOver = false
      const striking = Promise.all(names.map((name) => strike(name, scene))).then(() => {
        isOver = true
      })
      const quota = { modules: share(modules), trades: share(trades) }
      await Promise.all([striking, service.send(quota, () => isOver)])
      for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
      await world.untilFlowing()
      repeated += service.repeat()
    }
    // What is to be shown does not hang on what was drawn: whoever holds the key tries to write, and its successor is sent repeats.
    await strike('stream taken by another', scene)
    await world.untilFlowing()
    counts.set('stream taken by another', (counts.get('stream taken by another') ?? 0) + 1)
  } catch (error) {
    broken.push(String(error))
  }
  watched.stop()
  print([...counts].map(([name, count]) => `${name} ${count}`).join(', '))
  print(`trade events that the service sent once more: ${repeated}`)
  broken.push(...(await conclude(world, service, print, watched.most)))
  if (world.heard.refused === 0)
    broken.push('no earlier holder tried to write: nothing was shown of the fence')
  if (world.heard.repeats === 0) broken.push('the service replayed nothing: nothing was shown of repeats')
  return { broken }
}

/** Ten thousand keys on two hundred relays, in virtual time. */
export async function runFleet({ plan, random, print }: PhaseContext): Promise<PhaseResult> {
  const size = { ...plan.fleet, seed: random.fork('fleet').integer(0, 2 ** 31) }
  const { costs, seconds, most, without } = await simulateFleet(size)
  print(`${size.keys} keys on ${size.relays} relays, ${size.changes} changes in ${seconds} s of virtual time`)
  const broken: string[] = []
  for (const [name, bound] of Object.entries(fleetBounds(size))) {
    const value = costs[name as keyof typeof costs]
    print(`${name} ${Number(value.toFixed(4))}, bound ${bound}`)
    if (value > bound) broken.push(`${name} ${value} is over ${bound}`)
  }
  if (most !== 1) broken.push(`a key had ${most} relays at once`)
  if (without > 0) broken.push(`keys with none in the end: ${without}`)
  return { broken }
}

/** Relays die while what they left behind lingers: nothing is opened that the service would refuse. */
export async function runLingering(context: PhaseContext): Promise<PhaseResult> {
  const { servers, program, plan, random, print } = context
  const { beatMs, lingerMs } = plan
  const world = await startWorld(servers, { program, keys: plan.keys, beatMs, slotLingerMs: lingerMs })
  const service = createService(world.simulator.apps, random.fork('lingering events'))
  const watched = watchConnections(world)
  const broken: string[] = []
  service.sendSome(EACH_SORT)
  await untilStored(world, service)
  let isOver = false
  const trickle = (async () => {
    while (!isOver) {
      service.sendSome(1)
      await pause(random.integer(50, 300))
    }
  })()
  try {
    const [first, second] = random.shuffle(world.relays)
    for (const relay of [first, second]) {
      await relay?.kill()
      // The service has to notice, and the others that nobody is there.
      await pause(DEAD_BEATS * beatMs)
      await world.untilFlowing()
    }
    for (const relay of [first, second]) {
      await relay?.start()
      await pause(DEAD_BEATS * beatMs)
      await world.untilFlowing()
    }
  } catch (error) {
    broken.push(String(error))
  }
  isOver = true
  await trickle
  watched.stop()
  const refused = refusals(world)
  broken.push(...(await conclude(world, service, print, watched.most)))
  if (refused > 0) broken.push(`${refused} connections were opened that the service refused`)
  return { broken }
}
