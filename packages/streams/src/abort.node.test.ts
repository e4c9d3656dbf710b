/**
 * The end of a stream at every await point. The calls of the stream's ports are counted. For every n, the stream is ended at the
 * n-th call, by the signal or by `return()`: before the call, after its result, and while it never returns.
 */
import type { Clock, Store } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { ModuleMessageType, TradeEventType } from '@brokerwire/protos'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import { type GrpcServer, type GrpcServerCall, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createSubscriptionBudget } from './budget.ts'
import { createStreams } from './create-streams.ts'
import type { EventStream, StreamItem } from './event-stream.ts'
import { grpcConnections } from './subscription/connection.ts'
import { moduleEvent, moduleFrame, testSigner, tradeFrame } from './test/frames.ts'

type Moment = 'before the call' | 'after the result' | 'while it never returns'
type Service = 'module' | 'trade'
/** How the stream is ended. */
type Way = 'signal' | 'return()'

/** Frames of each service. */
const FRAMES = {
  module: {
    authError: moduleFrame(ModuleMessageType.AuthError),
    success: moduleFrame(ModuleMessageType.SubscribeSuccess),
    event: (n: number) => moduleEvent('APPLICATION', n),
  },
  trade: {
    authError: tradeFrame(TradeEventType.AuthError),
    success: tradeFrame(TradeEventType.SubscribeSuccess),
    event: (n: number) => tradeFrame(1024, { requestId: `id-${n}`, payload: '{}' }),
  },
}

const EVENTS = 6
const MAX_TURNS = 2000
const turn = () => new Promise((resolve) => setImmediate(resolve))

const unhandled: unknown[] = []
const onUnhandled = (reason: unknown): void => void unhandled.push(reason)
beforeAll(() => void process.on('unhandledRejection', onUnhandled))
afterAll(() => void process.off('unhandledRejection', onUnhandled))

let server: GrpcServer
beforeEach(async () => {
  server = await startGrpcServer()
})
afterEach(() => server.close())

/** Plays the service: refuses the first attempt, sends half of the events and fails, then sends the rest. */
function serve(service: Service, calls: readonly GrpcServerCall[], served: number): number {
  const { authError, success, event } = FRAMES[service]
  for (const [index, call] of calls.entries()) {
    if (index < served) continue
    const half = Array.from({ length: EVENTS / 2 }, (_, n) => n + 1)
    if (index === 0) call.send(authError)
    else if (index === 1) {
      call.send(success, ...half.map(event))
      call.end(14)
    } else call.send(success, ...half.map((n) => event(n + EVENTS / 2)))
  }
  return calls.length
}

/** Reads a stream and ends it at one point. @returns The number of points, and whether that point was reached. */
async function run(
  abortAt: number,
  moment: Moment,
  service: Service,
  way: Way,
): Promise<{ points: number; fired: boolean }> {
  unhandled.length = 0
  const reason = new Error('left')
  const controller = new AbortController()
  let points = 0
  let fired = false
  const fire = (): void => {
    fired = true
    if (way === 'signal') controller.abort(reason)
    else void stream.return()
  }
  /** Calls a function of a port, and counts the call as a point. */
  const point = async <T>(call: () => T | Promise<T>, alwaysReturns = false): Promise<T> => {
    points += 1
    const here = points === abortAt
    if (here && moment === 'before the call') fire()
    if (here && moment === 'while it never returns' && !alwaysReturns) {
      setImmediate(fire)
      return new Promise<T>(() => {})
    }
    const result = await call()
    if (here && moment !== 'before the call') fire()
    return result
  }

  const virtual = createVirtualClock(1_764_000_000_000)
  const clock: Clock = {
    now: () => virtual.now(),
    setTimer(callback, ms) {
      points += 1
      if (points === abortAt) fire()
      return virtual.setTimer(callback, ms)
    },
  }
  const entries = createFailingStore()
  // A store that never returns delays the end of a stream. Other tests cover that, so here the store always returns.
  const store: Store = {
    get: (key) => point(() => entries.get(key), true),
    compareAndSet: (key, expected, next) => point(() => entries.compareAndSet(key, expected, next), true),
  }
  const signer = testSigner()
  const connections = grpcConnections()
  const budget = createSubscriptionBudget()
  const openConnection = (baseUrl: string) => {
    const { transport, close } = connections(baseUrl)
    const stream: typeof transport.stream = (...args) => point(() => transport.stream(...args)) as never
    return { close, transport: { unary: transport.unary.bind(transport), stream } }
  }
  const streams = createStreams({
    signer: { appKey: signer.appKey, signStream: (bytes) => point(() => signer.signStream(bytes)) },
    eventsUrl: server.url,
    moduleEventsUrl: server.url,
    transports: { trade: openConnection, module: openConnection },
    onClockSkew: () => point(() => undefined),
    clock,
    store,
    identity: { environment: 'sandbox', region: 'us', appKey: 'k' },
    budget,
  })
  const handled: string[] = []
  let outcome: unknown
  /** Whether the loop ended before the signal aborted, because the end of the loop has points too. */
  let leftBefore = false
  const { signal } = controller
  const stream: EventStream<StreamItem> =
    service === 'module'
      ? streams.moduleEvents({ modules: ['application'], signal })
      : streams.tradeEvents({ accounts: ['A1'], signal })
  const reading = (async () => {
    let last = ''
    for await (const item of stream) {
      if (last !== '') handled.push(last)
      last = item.type !== 'event' ? '' : item.service === 'module' ? item.id : item.requestId
      if (last === `id-${EVENTS}`) {
        leftBefore = !fired
        break
      }
      await point(turn, true)
      signal.throwIfAborted()
    }
  })().then(
    () => {
      outcome = 'done'
    },
    (error: unknown) => {
      outcome = error
    },
  )

  let served = 0
  let turnsAfter = 0
  for (let turns = 0; outcome === undefined; turns += 1) {
    served = serve(service, server.calls, served)
    await virtual.advance(turns % 20 === 19 ? 20 : 1)
    await turn()
    if (fired) turnsAfter += 1
    if (turns > MAX_TURNS || turnsAfter > 200) throw new Error(`stuck, ${turnsAfter} turns after the abort`)
  }
  await reading
  const at = `at point ${abortAt}, ${moment}`
  expect(outcome, at).toBe(fired && way === 'signal' && !leftBefore ? reason : 'done')
  const committed = [...entries.entries.values()].join()
  const writes = entries.writes
  // Advances an hour, so that a timer that was not cleared would run.
  await virtual.advance(3_600_000)
  for (let n = 0; n < 3; n += 1) await turn()
  expect([...entries.entries.values()].join(), at).toBe(committed)
  expect(entries.writes, at).toBe(writes)
  const position = /"position":"p(\d+)"/.exec(committed)?.[1]
  expect(Number(position ?? 0), at).toBeLessThanOrEqual(handled.length + 1)
  expect(virtual.pendingTimers, at).toBe(0)
  expect(budget.inUse, at).toBe(0)
  expect(unhandled, at).toEqual([])
  for (const call of server.calls) await call.closed
  return { points, fired }
}

test.each<[Service, Way, Moment]>([
  ['module', 'signal', 'before the call'],
  ['module', 'signal', 'after the result'],
  ['module', 'signal', 'while it never returns'],
  ['module', 'return()', 'after the result'],
  ['module', 'return()', 'while it never returns'],
  ['trade', 'signal', 'after the result'],
  ['trade', 'return()', 'after the result'],
])(
  'a %s stream can be ended by %s at each point, %s, and releases everything without another commit',
  async (service, way, moment) => {
    let reached = 0
    for (let n = 1; ; n += 1) {
      const { fired, points } = await run(n, moment, service, way)
      await server.close()
      server = await startGrpcServer()
      if (fired) reached += 1
      else if (n > points) break
    }
    expect(reached).toBeGreaterThan(service === 'module' ? 30 : 20)
  },
  60_000,
)
