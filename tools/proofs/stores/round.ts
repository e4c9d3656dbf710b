/**
 * One round: eight processes share a token through a store whose server and network fail, and five of them are killed at
 * random instants. First nobody has a token, then a person asks for another one.
 */
import { type Clock, systemClock } from '@brokerwire/core'
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import type { ChildError } from '@brokerwire/testing/child'
import type { ChildServer } from '@brokerwire/testing/child-server'
import { startTcpProxy, type TcpProxy } from '@brokerwire/testing/tcp-proxy'
import { countKey, type StorePlace } from '../../../packages/client/src/test/store-place.ts'
import {
  type Asked,
  startTokenWorkers,
  type TokenWorker,
} from '../../../packages/client/src/test/token-workers.ts'
import type { Random } from '../attacks/random.ts'
import { judge, type Read } from './judge.ts'
import { pause, strike, TROUBLES } from './troubles.ts'
import { watch } from './watch.ts'

const WORKERS = 8
const KILLED = 5
const CREATE = '/auth/tokens/create'
const FIVE_MINUTES_MS = 300_000
/** Real time: whoever has not come to rest by then never will. */
const REST_MS = 90_000
/** What a caller is told while the store is away; each may be asked again. */
const PASSING = new Set([
  'TOKEN_STORE_FAILED',
  'TOKEN_CALL_FAILED',
  'TOKEN_CREATE_TOO_SOON',
  'STORE_UNAVAILABLE',
])

/** What came of a round. */
export interface RoundResult {
  readonly broken: readonly string[]
  readonly figures: Readonly<Record<string, number>>
}

/** What a round works with. */
export interface RoundContext {
  readonly kind: Exclude<StorePlace['kind'], 'file'>
  readonly server: ChildServer
  readonly random: Random
  /** The bundle of the workers. */
  readonly program: string
}

/** A clock that all set on together, on the time that all processes of the machine read. */
function sharedClock(): { clock: Clock; toNs(atMs: number): bigint; later(): void } {
  const originMs = Date.now() - Number(process.hrtime.bigint() / 1_000_000n)
  let offsetMs = 0
  return {
    clock: {
      now: () => originMs + Number(process.hrtime.bigint() / 1_000_000n) + offsetMs,
      setTimer: systemClock.setTimer,
    },
    toNs: (atMs) => BigInt(atMs - offsetMs - originMs) * 1_000_000n,
    later() {
      offsetMs += FIVE_MINUTES_MS
    },
  }
}

export async function runRound(context: RoundContext): Promise<RoundResult> {
  const { kind, server, random, program } = context
  const broken: string[] = []
  const time = sharedClock()
  const ends: (() => unknown)[] = []
  const simulator: Simulator = await startSimulator({
    clock: time.clock,
    rateLimit: false,
    secondFactor: 'automatic',
    secondFactorDelayMs: random.integer(1, 800),
  })
  const service: TcpProxy = await startTcpProxy(Number(new URL(simulator.httpUrl).port))
  service.delayMs = random.chance(0.5) ? random.integer(0, 300) : random.integer(300, 2500)
  const network = await startTcpProxy(server.port)
  const { appKey, appSecret } = simulator.credentials
  const open = {
    httpUrl: `http://127.0.0.1:${service.port}`,
    place: { kind, port: network.port },
    appKey,
    appSecret: appSecret.reveal(),
  }
  const onPoint = async (): Promise<void> => {}
  const { workers, trace } = await startTokenWorkers(WORKERS, open, {
    onPoint,
    atEnd: (end) => ends.push(end),
    program,
  })
  const key = `access-token/production/us/${appKey}`
  const watched = await watch({ kind, port: server.port }, key, countKey(appKey), broken)

  const alive = (): TokenWorker[] => workers.filter((worker) => worker.isAlive)
  const reads: Read[] = []
  const arrivalsNs: bigint[] = []
  const jumpsNs: bigint[] = []
  let takenRequests = 0
  let [counted, unknown] = [0, 0]

  /** A worker that is killed answers nothing. */
  const ask = async (worker: TokenWorker, what: Asked): Promise<string | undefined> => {
    const fromNs = process.hrtime.bigint()
    const answer = await Promise.race([worker.do(what), worker.ended.then(() => undefined)])
    if (answer !== undefined && (what === 'get' || what === 'renew'))
      reads.push({ worker: worker.number, fromNs, toNs: process.hrtime.bigint(), token: answer })
    return answer
  }
  /** @returns Its code; what is no passing failure is broken. */
  const failure = (error: unknown): string => {
    const { code = 'none', message } = error as ChildError
    if (!PASSING.has(code)) broken.push(`${code}: ${message}`)
    return code
  }
  const takeArrivals = (): void => {
    const requests = simulator.requests().slice(takenRequests)
    takenRequests += requests.length
    for (const { path, atMs } of requests) if (path === CREATE) arrivalsNs.push(time.toNs(atMs))
  }
  /** Nothing is under way when the clocks of all are set on. */
  const later = async (): Promise<void> => {
    takeArrivals()
    time.later()
    await Promise.all(alive().map((worker) => ask(worker, 'later')))
    jumpsNs.push(process.hrtime.bigint())
  }
  const kill = async (): Promise<void> => {
    const last = [...trace].reverse().find(({ name }) => name === 'locked')
    const holder = alive().find(({ number }) => number === last?.worker)
    const victim = holder !== undefined && random.chance(0.5) ? holder : random.pick(alive())
    await victim.kill()
  }
  const killAll = async (count: number): Promise<void> => {
    for (let left = count; left > 0; left -= 1) {
      await pause(random.integer(0, 1500))
      await kill()
    }
  }
  /** All that live use the store as long as it fails. */
  const useWhile = async (work: Promise<unknown>): Promise<void> => {
    let isOver = false
    const loops = alive().flatMap((worker) => [
      (async () => {
        while (!isOver && worker.isAlive) {
          await ask(worker, 'get').catch(failure)
          await pause(20)
        }
      })(),
      (async () => {
        while (!isOver && worker.isAlive) {
          unknown += 1
          const answer = await ask(worker, 'count').catch(failure)
          if (answer === '1') counted += 1
          if (answer === '0' || answer === '1') unknown -= 1
          await pause(20)
        }
      })(),
    ])
    await work
    isOver = true
    await Promise.all(loops)
  }
  /** Until all that live have a token, and the same one. */
  const rest = async (untilMs = performance.now() + REST_MS): Promise<string | undefined> => {
    for (;;) {
      const codes = new Set<string>()
      const tokens = await Promise.all(
        alive().map((worker) => ask(worker, 'get').catch((error: unknown) => void codes.add(failure(error)))),
      )
      if (codes.size === 0 && new Set(tokens).size === 1) return tokens[0]
      if (performance.now() > untilMs) {
        broken.push(`no rest: ${[...codes].join(', ')}`)
        return undefined
      }
      // What became of a create is not known: five minutes later there may be another.
      if (codes.size === 1 && codes.has('TOKEN_CREATE_TOO_SOON')) await later()
      await pause(100)
    }
  }
  /** One that is told to, until somebody has done it. */
  const renew = async (old: string): Promise<void> => {
    const untilMs = performance.now() + REST_MS
    while (performance.now() < untilMs) {
      const worker = random.pick(alive())
      try {
        const token = await ask(worker, 'get')
        if (token !== undefined && token !== old) return
        if (token !== undefined) await ask(worker, 'renew')
      } catch (error) {
        if (failure(error) === 'TOKEN_CREATE_TOO_SOON' && isOver) await later()
      }
      await pause(50)
    }
    broken.push('nobody could renew')
  }

  let isOver = false
  const order = random.shuffle(TROUBLES)
  const half = Math.ceil(order.length / 2)
  const firstKilled = random.integer(2, KILLED - 1)
  await useWhile(
    Promise.all([strike(order.slice(0, half), { server, proxy: network }, random), killAll(firstKilled)]),
  )
  const first = await rest()

  const renewalsNs: bigint[] = []
  if (first !== undefined) {
    await later()
    renewalsNs.push(process.hrtime.bigint())
    const trouble = Promise.all([
      strike(order.slice(half), { server, proxy: network }, random),
      killAll(KILLED - firstKilled),
    ]).then(() => {
      isOver = true
    })
    await useWhile(Promise.all([trouble, renew(first)]))
    const second = await rest()
    if (second === first) broken.push('the token was not renewed')
    for (const worker of alive())
      if ((await ask(worker, 'request').catch(failure)) !== second)
        broken.push(`worker ${worker.number} asked with another token`)
  }
  if (alive().length !== WORKERS - KILLED) broken.push(`${alive().length} live`)
  takeArrivals()

  const count = await watched.stop(REST_MS)
  if (count < counted || count > counted + unknown)
    broken.push(`counted ${count}, of which ${counted} acknowledged and ${unknown} not`)
  for (const end of ends) end()
  await Promise.all(workers.map(({ ended }) => ended))
  await network.close()
  await service.close()
  await simulator.close()

  const { broken: judged, extraCreates, excused } = judge({ trace, arrivalsNs, reads, renewalsNs, jumpsNs })
  const stalls = trace.filter(({ name }) => name === 'stalled').length
  const figures = {
    creates: arrivalsNs.length,
    extra: extraCreates,
    reads: reads.length,
    counted: count,
    stalls,
    excused,
  }
  return { broken: [...new Set([...broken, ...judged])], figures }
}
