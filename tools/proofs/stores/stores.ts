/**
 * `pnpm proof stores [--rounds N]`: eight processes share a token in each store that several machines can
 * share. In each round five of them are killed. At the same time the server is killed, stopped and restarted,
 * and the network in front of it fails.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, systemClock } from '@brokerwire/core'
import { startSimulator } from '@brokerwire/simulator'
import { isStoresError } from '@brokerwire/stores'
import { bundled, type ChildError } from '@brokerwire/testing/child'
import type { ChildServer } from '@brokerwire/testing/child-server'
import { SHARED_SERVERS } from '@brokerwire/testing/shared-servers'
import { startTcpProxy } from '@brokerwire/testing/tcp-proxy'
import { countKey, openStore, type StorePlace } from '../../../packages/client/src/test/store-place.ts'
import type { Asked } from '../../../packages/client/src/test/token-worker.ts'
import { startTokenWorkers, type TokenWorker } from '../../../packages/client/src/test/token-workers.ts'
import type { Case, CaseContext, Figures, Proof, ProofOptions } from '../harness.ts'
import { FAULT_NAMES, inject } from './faults.ts'
import { type Read, verify } from './verify.ts'

const WORKERS = 8
const KILLED = 5
const CREATE = '/auth/tokens/create'
const FIVE_MINUTES_MS = 300_000
const OBSERVE_EVERY_MS = 10
/** Limit in real time until all processes have the same token after the faults. */
const SETTLE_MS = 90_000
/** Errors that a caller gets while the store is unavailable. It may try again. */
const TRANSIENT = new Set([
  'TOKEN_STORE_FAILED',
  'TOKEN_CALL_FAILED',
  'TOKEN_CREATE_TOO_SOON',
  'STORE_UNAVAILABLE',
])

/** A clock that can jump. It is based on the monotonic clock that all processes of a machine share. */
function jumpingClock() {
  const originMs = Date.now() - Number(process.hrtime.bigint() / 1_000_000n)
  let offsetMs = 0
  const clock: Clock = {
    now: () => originMs + Number(process.hrtime.bigint() / 1_000_000n) + offsetMs,
    setTimer: systemClock.setTimer,
  }
  return {
    clock,
    toNs: (atMs: number): bigint => BigInt(atMs - offsetMs - originMs) * 1_000_000n,
    jump() {
      offsetMs += FIVE_MINUTES_MS
    },
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * Reads the store on a connection without faults. Each record must be complete, and neither the counter nor
 * the token may return to an earlier value.
 */
async function observe(place: StorePlace, key: string, counter: string, broken: (what: string) => void) {
  const { store, close } = await openStore(place)
  const tokens: string[] = []
  let count = 0
  let isOver = false
  const look = async (): Promise<void> => {
    const text = await store.get(key)
    const record = JSON.parse(text ?? '{"format":1}') as { format?: unknown; current?: { token?: unknown } }
    if (record.format !== 1) broken('a record without its format was stored')
    const token = record.current?.token
    if (typeof token === 'string' && tokens.at(-1) !== digestOf(token)) tokens.push(digestOf(token))
    const counted = Number((await store.get(counter)) ?? 0)
    if (!(counted >= count)) broken(`the counter went from ${count} to ${counted}`)
    count = counted
  }
  const observing = (async () => {
    for (; !isOver; await sleep(OBSERVE_EVERY_MS)) {
      await look().catch((error: unknown) => {
        if (!isStoresError(error, 'STORE_UNAVAILABLE')) broken(`not readable: ${String(error)}`)
      })
    }
  })()
  return {
    /**
     * Ends the observation. The lock must become free, because its last holder has released it or was killed.
     *
     * @returns The last value of the counter.
     */
    async stop(): Promise<number> {
      isOver = true
      await observing
      await look()
      const lock = await store.lock?.(key, { signal: AbortSignal.timeout(SETTLE_MS) })
      await lock?.release()
      await close()
      if (new Set(tokens).size !== tokens.length) broken('a replaced token was stored again')
      return count
    },
  }
}

/**
 * Runs one round. At first the processes need a token, then one of them renews it. During both phases faults
 * happen, and five processes are killed.
 */
async function runRound(
  { random, fail, atEnd }: CaseContext,
  kind: Exclude<StorePlace['kind'], 'file'>,
  server: ChildServer,
): Promise<Figures> {
  const time = jumpingClock()
  const simulator = await startSimulator({
    clock: time.clock,
    rateLimit: false,
    secondFactor: 'automatic',
    secondFactorDelayMs: random.integer(1, 800),
  })
  atEnd(() => simulator.close())
  const service = await startTcpProxy(Number(new URL(simulator.baseUrl).port))
  atEnd(() => service.close())
  service.delayMs = random.chance(0.5) ? random.integer(0, 300) : random.integer(300, 2500)
  const network = await startTcpProxy(server.port)
  atEnd(() => network.close())
  const { appKey, appSecret } = simulator.credentials
  const open = {
    baseUrl: `http://127.0.0.1:${service.port}`,
    place: { kind, port: network.port },
    appKey,
    appSecret: appSecret.reveal(),
  }
  const program = await bundled(new URL('../../../packages/client/src/test/token-worker.ts', import.meta.url))
  const { workers, trace } = await startTokenWorkers(WORKERS, open, {
    onPoint: async () => {},
    atEnd,
    program,
  })
  const key = `access-token/production/us/${appKey}/${encodeURIComponent(open.baseUrl)}`
  const observer = await observe({ kind, port: server.port }, key, countKey(appKey), fail)

  const alive = (): TokenWorker[] => workers.filter((worker) => worker.isAlive)
  const reads: Read[] = []
  const arrivalsNs: bigint[] = []
  const jumpsNs: bigint[] = []
  const renewalsNs: bigint[] = []
  let requestsSeen = 0
  /** Number of increments of the counter: those that were acknowledged, and those with an unknown outcome. */
  let [counted, unknown] = [0, 0]

  /** @returns `undefined` if the worker was killed before it responded. */
  const ask = async (worker: TokenWorker, what: Asked): Promise<string | undefined> => {
    const fromNs = process.hrtime.bigint()
    const answer = await Promise.race([worker.do(what), worker.ended.then(() => undefined)])
    if (answer !== undefined && (what === 'get' || what === 'renew'))
      reads.push({ worker: worker.number, fromNs, toNs: process.hrtime.bigint(), token: answer })
    return answer
  }
  /**
   * Fails the case if an error is unexpected.
   *
   * @returns The code of the error.
   */
  const onError = (error: unknown): string => {
    const { code = 'none', message } = error as ChildError
    if (!TRANSIENT.has(code)) fail(`${code}: ${message}`)
    return code
  }
  const collectArrivals = (): void => {
    const requests = simulator.requests().slice(requestsSeen)
    requestsSeen += requests.length
    for (const { path, atMs } of requests) if (path === CREATE) arrivalsNs.push(time.toNs(atMs))
  }
  /** Moves all clocks forward. No create request is in flight at this moment. */
  const jump = async (): Promise<void> => {
    collectArrivals()
    time.jump()
    await Promise.all(alive().map((worker) => ask(worker, 'later')))
    jumpsNs.push(process.hrtime.bigint())
  }
  const killSome = async (count: number): Promise<void> => {
    for (let left = count; left > 0; left -= 1) {
      await sleep(random.integer(0, 1500))
      const last = trace.filter(({ name }) => name === 'locked').at(-1)
      const holder = alive().find(({ number }) => number === last?.worker)
      await (holder !== undefined && random.chance(0.5) ? holder : random.pick(alive())).kill()
    }
  }
  /** Lets all workers use the store until `work` has ended. */
  const useDuring = async (work: Promise<unknown>): Promise<void> => {
    let isOver = false
    const loop = async (worker: TokenWorker, step: () => Promise<unknown>): Promise<void> => {
      for (; !isOver && worker.isAlive; await sleep(20)) await step()
    }
    const loops = alive().flatMap((worker) => [
      loop(worker, () => ask(worker, 'get').catch(onError)),
      loop(worker, async () => {
        unknown += 1
        const answer = await ask(worker, 'count').catch(onError)
        if (answer === '1') counted += 1
        if (answer === '0' || answer === '1') unknown -= 1
      }),
    ])
    await work
    isOver = true
    await Promise.all(loops)
  }
  /** Waits until all workers have the same token, and returns it. */
  const settle = async (): Promise<string | undefined> => {
    for (const endMs = performance.now() + SETTLE_MS; ; await sleep(100)) {
      const codes = new Set<string>()
      const tokens = await Promise.all(
        alive().map((worker) => ask(worker, 'get').catch((error: unknown) => void codes.add(onError(error)))),
      )
      if (codes.size === 0 && new Set(tokens).size === 1) return tokens[0]
      if (performance.now() > endMs) {
        fail(`the workers have not settled: ${[...codes].join(', ')}`)
        return undefined
      }
      // If no worker reports another error, the outcome of a create request is unknown. The next one is
      // allowed after five minutes.
      if (codes.size === 1 && codes.has('TOKEN_CREATE_TOO_SOON')) await jump()
    }
  }
  let isFaultOver = false
  /** Requests renewals until the token has changed. */
  const renew = async (old: string): Promise<void> => {
    for (const endMs = performance.now() + SETTLE_MS; performance.now() < endMs; await sleep(50)) {
      const worker = random.pick(alive())
      try {
        const token = await ask(worker, 'get')
        if (token !== undefined && token !== old) return
        if (token !== undefined) await ask(worker, 'renew')
      } catch (error) {
        if (onError(error) === 'TOKEN_CREATE_TOO_SOON' && isFaultOver) await jump()
      }
    }
    fail('no worker could renew the token')
  }

  const faults = random.shuffle(FAULT_NAMES)
  const half = Math.ceil(faults.length / 2)
  const firstKilled = random.integer(2, KILLED - 1)
  const target = { server, proxy: network }
  await useDuring(Promise.all([inject(faults.slice(0, half), target, random), killSome(firstKilled)]))
  const first = await settle()
  if (first !== undefined) {
    await jump()
    renewalsNs.push(process.hrtime.bigint())
    const fault = Promise.all([
      inject(faults.slice(half), target, random),
      killSome(KILLED - firstKilled),
    ]).then(() => {
      isFaultOver = true
    })
    await useDuring(Promise.all([fault, renew(first)]))
    const second = await settle()
    if (second === first) fail('the token was not renewed')
    for (const worker of alive())
      if ((await ask(worker, 'request').catch(onError)) !== second)
        fail(`worker ${worker.number} sent a request with another token`)
  }
  if (alive().length !== WORKERS - KILLED) fail(`${alive().length} workers are alive`)
  collectArrivals()
  const count = await observer.stop()
  if (count < counted || count > counted + unknown)
    fail(`counter ${count}: ${counted} increments acknowledged and ${unknown} with an unknown outcome`)
  const verdict = verify({ trace, arrivalsNs, reads, renewalsNs, jumpsNs })
  for (const what of verdict.broken) fail(what)
  return {
    creates: arrivalsNs.length,
    extra: verdict.extraCreates,
    reads: reads.length,
    counted: count,
    stalls: trace.filter(({ name }) => name === 'stalled').length,
    excused: verdict.excused,
  }
}

type SharedServer = (typeof SHARED_SERVERS)[number]

function rounds([kind, needed, start]: SharedServer, count: number, { atEnd }: ProofOptions): Case[] {
  let started: ReturnType<typeof start> | undefined
  atEnd(async () => (await started)?.close())
  return Array.from({ length: count }, (_, index) => ({
    name: `${kind} ${index + 1}`,
    // Each kind of store has its own group, because the cases wait most of the time.
    group: kind,
    needs: [needed],
    async run(context) {
      started ??= start()
      return runRound(context, kind, await started)
    },
  }))
}

export const proof: Proof = {
  flags: { rounds: 'rounds on each store (20; short: 1)' },
  cases(options) {
    const count = options.flag('rounds', 20, 1)
    return SHARED_SERVERS.flatMap((server) => rounds(server, count, options))
  },
}
